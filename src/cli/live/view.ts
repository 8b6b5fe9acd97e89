import type { RunEvent } from '../../domain/runs/event.ts'
import type { Pace } from '../../domain/runs/pace.ts'
import type { Context } from '../context.ts'
import { toJson, visible } from '../print.ts'
import { drawBar, sayPace } from './words.ts'

/** What of a run is shown while it goes on. */
export type View = {
  /** Something to know that is no event. */
  note: (text: string) => void
  event: (event: RunEvent, pace: Pace | null) => void
  /** A stage is done, with these figures in all. */
  stageEnd: (stage: string, pace: Pace | null) => void
}

/** The view that fits: bars for a terminal, lines for a file, objects for a program. */
export function openView(context: Context): View {
  if (context.json) return jsonView(context)
  return context.out.isTTY ? terminalView(context) : plainView(context)
}

const stageName = (stage: string) => visible(stage).padEnd(8)
const again = (attempt: number) => `Attempt ${attempt} begins from scratch.\n`

const clearLine = '\r\u001b[K'

/** One line for each stage, drawn over until the stage is done. */
function terminalView({ out }: Context): View {
  let isDrawing = false
  const draw = (stage: string, pace: Pace | null) => {
    const bar = pace ? `  ${drawBar(pace.percent)}  ` : ''
    out.write(`${clearLine}${stageName(stage)}${bar}${sayPace(pace)}`.trimEnd())
    isDrawing = true
  }
  const finish = () => {
    if (isDrawing) out.write('\n')
    isDrawing = false
  }
  return {
    note(text) {
      finish()
      out.write(`${text}\n`)
    },
    event({ kind, stage, attempt }, pace) {
      if (kind === 'RESTARTED') {
        finish()
        out.write(again(attempt))
      } else if (stage !== null && (kind === 'STAGE' || kind === 'PROGRESS')) draw(stage, pace)
    },
    stageEnd(stage, pace) {
      draw(stage, pace)
      finish()
    },
  }
}

/** How often a stage says how far it is where each word is a new line. */
const sayEveryMs = 5_000

function plainView({ out }: Context): View {
  let saidAt = 0
  const say = (stage: string, pace: Pace | null) =>
    void out.write(`${`${stageName(stage)}  ${sayPace(pace)}`.trimEnd()}\n`)
  return {
    note: (text) => void out.write(`${text}\n`),
    event({ kind, stage, attempt, at }, pace) {
      if (kind === 'RESTARTED') out.write(again(attempt))
      if (kind === 'STAGE') saidAt = at.getTime()
      if (kind !== 'PROGRESS' || stage === null || at.getTime() - saidAt < sayEveryMs) return
      saidAt = at.getTime()
      say(stage, pace)
    },
    stageEnd: say,
  }
}

function jsonView({ out }: Context): View {
  const say = (what: object) => void out.write(`${toJson(what)}\n`)
  return {
    note: (note) => say({ note }),
    event: ({ type: _type, mergedCount: _merged, position: _position, ...event }, pace) =>
      say({ event: { ...event, pace } }),
    stageEnd: (stage, pace) => say({ stageEnd: { stage, pace } }),
  }
}
