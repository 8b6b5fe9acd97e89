import { z } from 'zod'
import { alertStream, watchAlerts, type AlertNews } from '../domain/alerts/watch-alerts.ts'
import { openStream } from '../domain/stream.ts'
import { Alert, AlertSeverity } from './alert.ts'
import { builder } from './builder.ts'
import { decodeCursor, encodeCursor, idPart, ofStream } from './cursor.ts'
import { KeepAlive } from './keep-alive.ts'
import { StreamStart } from './stream-start.ts'

const AlertRaised = builder.objectRef<AlertNews>('AlertRaised').implement({
  description: 'An alert was raised, or became more severe. One that is only raised again is counted, not sent.',
  fields: (t) => ({
    // Nullable like that of every stream, see stream-start.ts; this one always is there.
    cursor: t.string({
      nullable: true,
      description: 'Pass the last one seen as `after` to go on behind it.',
      resolve: ({ position }) => encodeCursor(alertStream, [position]),
    }),
    at: t.expose('at', { type: 'DateTime', description: 'When.' }),
    severity: t.expose('severity', { type: AlertSeverity, description: 'How severe it was then.' }),
    isEscalation: t.exposeBoolean('isEscalation', { description: 'Whether it was raised before and is worse now.' }),
    alert: t.prismaField({
      type: Alert,
      nullable: true,
      description: 'The alert as it stands now; null: it is gone, with the source that it was about.',
      resolve: (query, { alertId }, _args, { db }) => db.alert.findUnique({ ...query, where: { id: alertId } }),
    }),
  }),
})

const AlertRaisedMessage = builder.unionType('AlertRaisedMessage', {
  description: 'What `alertRaised` sends.',
  types: [StreamStart, AlertRaised, KeepAlive],
  resolveType: ({ type }) => type,
})

builder.subscriptionField('alertRaised', (t) =>
  t.field({
    type: AlertRaisedMessage,
    description:
      'Alerts as they are raised or become more severe. Whoever resumes behind the last cursor seen misses nothing and gets nothing twice. A quiet stream sends KeepAlive every 15 s.',
    authScopes: { operate: true },
    args: {
      after: t.arg.string({ description: 'The `cursor` of the last message seen; without it the stream begins now.' }),
    },
    subscribe: (_root, { after }, { alertBell: bell, pool, now }) => {
      const [position] = typeof after === 'string' ? decodeCursor(alertStream, z.tuple([idPart]), after, ofStream) : []
      return openStream((signal) => watchAlerts({ bell, pool, now, signal }, position))
    },
    resolve: (message) => message,
  }),
)
