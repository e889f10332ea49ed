import type { ImageType } from '../files/sniff.ts'
import { count } from '../text/count.ts'

/** What `read` returns to a program for an image. */
export interface ReadImageValue {
  /** Relative to the workspace root, with forward slashes. */
  readonly path: string
  readonly mediaType: ImageType
  readonly sizeBytes: number
  /** In pixels, as it is stored: what EXIF says of turning it is not looked at. */
  readonly width: number
  readonly height: number
  /** The whole file, in base64. */
  readonly data: string
}

/** The schema of a {@link ReadImageValue}. */
export const imageSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    path: { type: 'string', required: true },
    mediaType: { type: 'string', enum: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'], required: true },
    sizeBytes: { type: 'integer', required: true },
    width: { type: 'integer', required: true, description: 'In pixels.' },
    height: { type: 'integer', required: true, description: 'In pixels.' },
    data: { type: 'string', required: true, description: 'The whole image, in base64.' },
  },
} as const

/** An image in words: `image/png, 640 x 480 pixels, 12,345 bytes`. */
export function imageText({ mediaType, width, height, sizeBytes }: Omit<ReadImageValue, 'path' | 'data'>): string {
  return `${mediaType}, ${width} x ${height} pixels, ${count(sizeBytes, 'byte')}`
}
