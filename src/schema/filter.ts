/** Text that holds another, upper or lower case alike. `%` and `_` are looked for as they are: Prisma escapes neither. */
export const containing = (part: string | null | undefined) =>
  part ? { contains: part.replaceAll(/[\\%_]/g, '\\$&'), mode: 'insensitive' as const } : undefined
