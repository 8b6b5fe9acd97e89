/**
 * Keeps the number of different label values small. The first names are kept, later ones become `other`: series cost memory
 * here and in Prometheus for as long as both run.
 */
export function boundedNames(max: number): (name: string) => string {
  const known = new Set<string>()
  return (name) => {
    if (known.size < max) known.add(name)
    return known.has(name) ? name : 'other'
  }
}
