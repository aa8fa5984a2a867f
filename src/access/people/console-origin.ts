/** The settings that say where the console is. */
export interface OriginSettings {
  console: { host: string; port: number } | null;
  consoleOrigin: string;
}

/**
 * The origin of the console as browsers see it; undefined without a console. A passkey belongs to a domain and never to
 * an address, so without a setting it is `localhost`. `port`: where the console listens, if the settings say any.
 */
export function consoleOrigin(
  { console, consoleOrigin }: OriginSettings,
  port: number | undefined = console?.port,
): string | undefined {
  return console ? consoleOrigin || `http://localhost:${port}` : undefined;
}

/** What follows # never leaves the browser, so no log of a proxy has it. */
export function invitationLink(origin: string, secret: string): string {
  return `${origin}/join#${secret}`;
}
