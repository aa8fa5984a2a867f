import { type Config, settingOf } from "../../config/read-config.ts";
import { endpoint, setting } from "../../declare/setting.ts";
import { isLoopback } from "../../runtime/network/address.ts";

/** The address on which the console listens, and its origin for browsers. */
export const consoleSettings = {
  address: setting({
    name: "DUBA_CONSOLE",
    default: "",
    about:
      "Address and port of the operators' console. " +
      "The first start with it prints a link for the first officer. Empty: no console.",
    ...endpoint("127.0.0.1:8090"),
    listens: true,
  }),
  origin: setting({
    name: "DUBA_CONSOLE_ORIGIN",
    default: "",
    about:
      "Origin of the console behind your proxy, such as https://console.example. Passkeys belong to its host name. " +
      "Empty: http://localhost and the port, for this machine only.",
    form: "https:// and a host name, or http://localhost and a port",
    read: (text) =>
      text === ""
        ? text
        : /^(https:\/\/[a-z][a-z\d.-]*(?::\d{1,5})?|http:\/\/localhost(?::\d{1,5})?)\/?$/.exec(text)?.[1],
  }),
};

export function* consoleMisfits(config: Config): Generator<string> {
  const { address, origin } = consoleSettings;
  const host = settingOf(config, address)?.host;
  if (host && !isLoopback(host) && !settingOf(config, origin)?.startsWith("https:"))
    yield `${address.name} opens the console to the network. Set it to 127.0.0.1 and a port, or set ${origin.name} to the https:// origin of your proxy.`;
}

/**
 * Returns the console's origin, or undefined if the console is off. The default host is `localhost`, because passkeys
 * need a domain and not an IP address. `port`: the listening port, for a setting that allows any (port 0).
 */
export function consoleOrigin(config: Pick<Config, "ofFeatures">, port?: number): string | undefined {
  const address = settingOf(config, consoleSettings.address);
  return address ? settingOf(config, consoleSettings.origin) || `http://localhost:${port ?? address.port}` : undefined;
}
