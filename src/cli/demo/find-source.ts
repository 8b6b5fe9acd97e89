import { CommandError } from '../error.ts'
import type { Demo } from './steps.ts'

type Source = { id: string; name: string; isDisplayPrimary: boolean; tosReviewedAt: string | null }

/** A source of the demo's lists, by its name. */
export async function findSource({ ask }: Demo, name: string): Promise<Source> {
  const { sources } = await ask<{ sources: { nodes: Source[] } }>(
    'query FindSource($name: String!) { sources(first: 1, filter: { q: $name }) { nodes { id name isDisplayPrimary tosReviewedAt } } }',
    { name },
  )
  const [source] = sources.nodes
  if (!source)
    throw new CommandError('DEMO_FAILED', `The demo has no source "${name}" any more.`, {
      hint: 'Delete its folder to begin anew.',
    })
  return source
}
