import type { KeepAlive as Sign } from '../domain/stream.ts'
import { builder } from './builder.ts'

/** A member of every subscription's union. */
export const KeepAlive = builder.objectRef<Sign>('KeepAlive').implement({
  description: 'Sent on a stream that was quiet for 15 s: whoever hears nothing for longer should connect again.',
  fields: (t) => ({
    at: t.expose('at', { type: 'DateTime', description: 'The time at the server.' }),
  }),
})
