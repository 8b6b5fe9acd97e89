import type { Pace } from '../../domain/runs/pace.ts'

const units = ['B', 'kB', 'MB', 'GB']

/** Bytes as people say them: three digits at most. */
export function sayBytes(bytes: number): string {
  let [value, unit] = [bytes, 0]
  for (; value >= 999.5 && unit < units.length - 1; unit++) value /= 1000
  return `${unit > 0 && value < 99.95 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}

export const sayCount = (count: number): string => Math.round(count).toLocaleString('en-US')

/** A span of time: seconds under two minutes, minutes under two hours. */
export function saySeconds(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`
  if (seconds < 119.5) return `${Math.round(seconds)} s`
  return seconds < 7170 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}

/** How far a stage is: bytes, rows, rates, and what is left of it where that can be told. */
export function sayPace(pace: Pace | null): string {
  if (!pace) return ''
  const { bytes, totalBytes, bytesPerSecond, rows, rowsPerSecond, percent, secondsLeft } = pace
  const parts = [
    percent === null ? [] : `${Math.floor(percent).toString().padStart(3)} %`,
    totalBytes === null ? sayBytes(bytes) : `${sayBytes(bytes)} of ${sayBytes(totalBytes)}`,
    `${sayBytes(bytesPerSecond)}/s`,
    rows === null ? [] : `${sayCount(rows)} rows`,
    rowsPerSecond === null ? [] : `${sayCount(rowsPerSecond)} rows/s`,
    secondsLeft === null || secondsLeft === 0 ? [] : `${saySeconds(secondsLeft)} left`,
  ]
  return parts.flat().join('  ')
}

const barLength = 20

/** How much of a stage is done, as a bar; empty where nobody knows. */
export function drawBar(percent: number | null): string {
  const full = Math.round(((percent ?? 0) / 100) * barLength)
  return '█'.repeat(full) + '░'.repeat(barLength - full)
}
