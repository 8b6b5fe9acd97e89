import type { StreamStart as Start } from '../domain/stream.ts'
import { builder } from './builder.ts'
import { encodeCursor } from './cursor.ts'

/** The first message of every subscription that can be resumed. */
export const StreamStart = builder.objectRef<Start>('StreamStart').implement({
  description: 'The first message of a stream that can be resumed: where it begins.',
  fields: (t) => ({
    // Nullable like RunEvent.cursor: GraphQL refuses to ask two members of a union for one name of two types.
    cursor: t.string({
      nullable: true,
      description: 'Pass it as `after` when the connection breaks before anything else came.',
      resolve: ({ stream, position }) => encodeCursor(stream, [position]),
    }),
  }),
})
