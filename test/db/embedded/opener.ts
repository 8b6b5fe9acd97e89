// Opens the embedded server of a directory, says so in one line of JSON, and leaves when its input ends.
import { once } from 'node:events'
import { openEmbedded } from '../../../src/db/embedded/server.ts'

const [dir = ''] = process.argv.slice(2)
await using server = await openEmbedded(dir, { settings: { fsync: 'off' } })
const { attached, port } = server
process.stdout.write(`${JSON.stringify({ attached, port })}\n`)
process.stdin.resume()
await once(process.stdin, 'end')
