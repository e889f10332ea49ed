/** Of a picture, in pixels, as it is stored: what EXIF says of turning it is not looked at. */
export interface PixelSize {
  readonly width: number
  readonly height: number
}
