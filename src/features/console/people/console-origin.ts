import { type Config, settingOf } from "../../../config/read-config.ts";
import { consoleSettings } from "../console-settings.ts";

/**
 * The origin of the console as browsers see it; undefined without a console. A passkey belongs to a domain and never to
 * an address, so without a setting it is `localhost`. `port`: where the console listens, if the settings say any.
 */
export function consoleOrigin(config: Pick<Config, "ofFeatures">, port?: number): string | undefined {
  const address = settingOf(config, consoleSettings.address);
  return address ? settingOf(config, consoleSettings.origin) || `http://localhost:${port ?? address.port}` : undefined;
}

/** What follows # never leaves the browser, so no log of a proxy has it. */
export function invitationLink(origin: string, secret: string): string {
  return `${origin}/join#${secret}`;
}
