/** The reason why a page whose server answers gets no live values, which is nearly always a proxy in between. */

/** `told` is the host by which the server was asked, `own` the host in the address of the page, both with their ports. */
export function whyNothingComes(told: string | null, own: string): string {
  if (told?.toLowerCase() !== own.toLowerCase()) {
    return `This page was asked for at ${own}, but a proxy told the server ${told ?? 'no name'}: it has to hand on \`Host\` as it came.`;
  }
  return 'The server answers, but its live values do not come: a proxy has to pass on `Upgrade` and `Connection`.';
}
