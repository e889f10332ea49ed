import { createCordisHost, createOwnHost } from './fixtures.ts'
import { describeHost } from './parity.ts'

describeHost('our own host', createOwnHost)
describeHost('a Cordis context', createCordisHost)
