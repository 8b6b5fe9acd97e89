import type { AlertSeverity as Severity, Prisma } from '../db/generated/client/client.ts'
import { acknowledgeAlert, resolveAlert } from '../domain/alerts/alert.ts'
import { builder } from './builder.ts'
import { pageArgs, pageComplexity } from './connection.ts'
import { rowId } from './global-id.ts'
import { byNewest, nodeQuery, readModelPage } from './model-page.ts'
import { readBack } from './read-back.ts'
import { Source } from './source-type.ts'

export const AlertSeverity = builder.enumType('AlertSeverity', {
  description: 'How soon somebody should look.',
  values: {
    P1: { description: 'Now.' },
    P2: { description: 'Today.' },
    P3: { description: 'When there is time.' },
  } satisfies Record<Severity, { description: string }>,
})

// The news of the worst severity, which an alert has by now: its delivery is the alert's.
const latestNews = {
  news: { select: { deliveredAt: true, deliveryError: true }, orderBy: { severity: 'asc' }, take: 1 },
} as const satisfies Prisma.AlertSelect

export const Alert = builder.prismaNode('Alert', {
  description: 'Something that people should look at.',
  authScopes: { operate: true },
  id: { field: 'id', description: 'The global id.' },
  nullable: true,
  fields: (t) => ({
    kind: t.exposeString('kind', { description: 'What kind of thing, as CLOCK_LATE. docs/alerts.md lists them.' }),
    severity: t.expose('severity', { type: AlertSeverity, description: 'How soon; it only grows worse while open.' }),
    subject: t.exposeString('subject', { description: 'What it is about.' }),
    message: t.exposeString('message', { description: 'What happened, as last told.' }),
    details: t.expose('details', { type: 'JSON', description: 'Facts for programs, as last told.' }),
    dedupeKey: t.exposeString('dedupeKey', {
      description: 'What makes it the same: at most one alert with this key is open.',
    }),
    source: t.relation('source', { nullable: true, description: 'The source it is about; null: it is about none.' }),
    isOpen: t.boolean({
      description: 'Whether it still has to be looked at.',
      resolve: ({ resolvedAt }) => resolvedAt === null,
    }),
    timesRaised: t.exposeInt('timesRaised', { description: 'How often it was raised while open.' }),
    raisedAt: t.expose('raisedAt', { type: 'DateTime', description: 'When it was first raised.' }),
    lastRaisedAt: t.expose('lastRaisedAt', { type: 'DateTime', description: 'When it was last raised.' }),
    acknowledgedAt: t.expose('acknowledgedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Since when somebody looks after it; null again when it becomes more severe.',
    }),
    acknowledgedBy: t.exposeString('acknowledgedBy', { nullable: true, description: 'Who does.' }),
    resolvedAt: t.expose('resolvedAt', { type: 'DateTime', nullable: true, description: 'When it ended.' }),
    resolvedBy: t.exposeString('resolvedBy', {
      nullable: true,
      description: 'Who ended it; null on one that is resolved: its condition ended by itself.',
    }),
    deliveredAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was last delivered to Slack; null: it waits, or SLACK_WEBHOOK_URL is not set.',
      select: latestNews,
      resolve: ({ news }) => news[0]?.deliveredAt ?? null,
    }),
    deliveryError: t.string({
      nullable: true,
      description: 'Why it could not be delivered. It goes with the next message, and is tried again every hour.',
      select: latestNews,
      resolve: ({ news }) => news[0]?.deliveryError ?? null,
    }),
  }),
})

const AlertConnection = builder.connectionObject(
  { type: Alert, name: 'AlertConnection', description: 'A page of alerts.' },
  { description: 'An alert and its place in the list.' },
)

const AlertFilter = builder.inputType('AlertFilter', {
  description: 'Which alerts to list.',
  fields: (t) => ({
    isOpen: t.boolean({ description: 'True: only those still to be looked at; false: only those resolved.' }),
    isAcknowledged: t.boolean({ description: 'Only those that somebody looks after, or only the others.' }),
    severity: t.field({ type: [AlertSeverity], description: 'Only those of these severities.' }),
    kind: t.string({ description: 'Exactly this kind; at most 200 characters.' }),
    sourceId: t.globalID({ for: Source, description: 'Only those about this source.' }),
  }),
})

const isSet = (wanted: boolean | null | undefined) =>
  typeof wanted === 'boolean' ? (wanted ? { not: null } : null) : undefined

builder.queryField('alerts', (t) =>
  t.field({
    type: AlertConnection,
    description: 'What people should look at, newest first.',
    authScopes: { operate: true },
    complexity: pageComplexity,
    args: { ...pageArgs, filter: t.arg({ type: AlertFilter, description: 'Which ones; all if not given.' }) },
    resolve: (_root, { filter, ...page }, context, info) => {
      const where: Prisma.AlertWhereInput = {
        resolvedAt: isSet(typeof filter?.isOpen === 'boolean' ? !filter.isOpen : undefined),
        acknowledgedAt: isSet(filter?.isAcknowledged),
        severity: filter?.severity ? { in: [...new Set(filter.severity)] } : undefined,
        kind: filter?.kind ?? undefined,
        sourceId: rowId(filter?.sourceId),
      }
      return readModelPage(page, byNewest('alerts'), context.db.alert, { where, ...nodeQuery(context, info) })
    },
  }),
)

builder.mutationFields((t) => ({
  acknowledgeAlert: t.prismaField({
    type: Alert,
    description: 'Says that you look after an alert. It stays open until its condition ends or it is resolved.',
    authScopes: { operate: true },
    args: { id: t.arg.globalID({ required: true, for: Alert, description: 'Which alert.' }) },
    resolve: (query, _root, { id }, { db, actor, now }) =>
      readBack(db.alert, query, acknowledgeAlert(db, actor, rowId(id), now())),
  }),
  resolveAlert: t.prismaField({
    type: Alert,
    description: 'Ends an alert by hand. If its condition still holds it is raised anew, as another alert.',
    authScopes: { operate: true },
    args: { id: t.arg.globalID({ required: true, for: Alert, description: 'Which alert.' }) },
    resolve: (query, _root, { id }, { db, actor, now }) =>
      readBack(db.alert, query, resolveAlert(db, actor, rowId(id), now())),
  }),
}))
