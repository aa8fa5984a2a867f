/** How long an invitation link works, in milliseconds. */
export const invitationLife = 15 * 60_000;

/** Browsers never send the part after #, so no proxy logs the secret. */
export function invitationLink(origin: string, secret: string): string {
  return `${origin}/join#${secret}`;
}
