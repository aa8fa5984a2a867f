/** How long the link of an invitation works, in milliseconds. */
export const invitationLife = 15 * 60_000;

/** What follows # never leaves the browser, so no log of a proxy has it. */
export function invitationLink(origin: string, secret: string): string {
  return `${origin}/join#${secret}`;
}
