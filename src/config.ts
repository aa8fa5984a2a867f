import { isIP } from "node:net";
import { koboOf } from "./contract/money.ts";
import { anyText, countOrNone, duration, httpUrl, limit, oneOf, onOff, setting } from "./contract/setting.ts";

/** Every setting of the service: the one home of its name, default, form and description. */
export const settings = {
  host: setting({
    name: "HOST",
    default: "127.0.0.1",
    about: "Address to listen on. 0.0.0.0 opens the service to the network.",
    form: "an IP address or localhost",
    read: (text) => (isIP(text) || text === "localhost" ? text : undefined),
  }),
  port: setting({
    name: "PORT",
    default: "8080",
    about: "Port to listen on; 0 takes a free one.",
    form: "a number from 0 to 65535",
    read: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : undefined),
  }),
  dataDirectory: setting({
    name: "DUBA_DATA",
    default: "./.duba",
    about: "Data directory of the embedded SQLite store.",
    form: "a path",
    read: (text) => text || undefined,
  }),
  databaseUrl: setting({
    name: "DUBA_DATABASE_URL",
    default: "",
    about: "PostgreSQL to use instead of SQLite: postgres://user:password@host:5432/database.",
    form: "a postgres:// URL",
    read: (text) => (text === "" || /^postgres(ql)?:\/\//.test(text) ? text : undefined),
  }),
  keyring: setting({
    name: "DUBA_KEYRING",
    default: "",
    about:
      "File with the keys that seal records and hash BVNs. Empty: beside the data directory, with .keyring after its name. Keep a copy; share it between instances of one PostgreSQL.",
    ...anyText,
  }),
  bootstrapKey: setting({
    name: "DUBA_BOOTSTRAP_KEY",
    default: "",
    about: "Known value for the Sandbox account's test key, for scripts and compose files.",
    form: "at least 24 visible characters that do not begin with duba_live_",
    read: (text) =>
      text === "" || (/^[!-~]{24,255}$/.test(text) && !text.startsWith("duba_live_")) ? text : undefined,
  }),
  anonymous: setting({
    name: "DUBA_ANONYMOUS",
    default: "on",
    about: "Whether bundles, add-ons and cable discovery answer callers without a credential.",
    ...onOff,
  }),
  limits: setting({
    name: "DUBA_LIMITS",
    default: "on",
    about: "Whether callers are limited at all.",
    ...onOff,
  }),
  limitCatalogue: setting({
    name: "DUBA_LIMIT_CATALOGUE",
    default: "600/min",
    about: "Look-ups of one API key, per process.",
    ...limit,
  }),
  limitAnonymous: setting({
    name: "DUBA_LIMIT_ANONYMOUS",
    default: "60/min",
    about: "Look-ups of one address without a credential, per process.",
    ...limit,
  }),
  limitVerification: setting({
    name: "DUBA_LIMIT_VERIFICATION",
    default: "60/min",
    about: "Verifications of one account.",
    ...limit,
  }),
  vendorCallsPerDay: setting({
    name: "DUBA_VENDOR_CALLS_PER_DAY",
    default: "",
    about: "Most calls to a live identity source for one account in 24 hours, paid or not. Empty: no cap.",
    ...countOrNone,
  }),
  bvnFee: setting({
    name: "DUBA_BVN_FEE",
    default: "100",
    about: "Fee of one verified BVN in naira.",
    form: 'an amount in naira, such as "100" or "100.50"',
    /** Kobo. */
    read: (text) => koboOf(text),
  }),
  amountPolicy: setting({
    name: "DUBA_AMOUNT_POLICY",
    default: "record",
    about: "What happens when the amount of a verification is not the fee: noted on the ledger, or refused.",
    ...oneOf("record", "enforce"),
  }),
  phoneMatch: setting({
    name: "DUBA_PHONE_MATCH",
    default: "on",
    about: "Whether the phone number given must be one of the record's.",
    ...onOff,
  }),
  negativeDetail: setting({
    name: "DUBA_NEGATIVE_DETAIL",
    default: "full",
    about: "Whether an unknown BVN and a wrong phone are told apart (full) or both answered as verification_failed.",
    ...oneOf("full", "coarse"),
  }),
  consent: setting({
    name: "DUBA_CONSENT",
    default: "optional",
    about: "Whether live verifications must carry a Consent-Reference.",
    ...oneOf("optional", "required"),
  }),
  recordRetention: setting({
    name: "DUBA_RECORD_RETENTION",
    default: "24h",
    about: "How long an identity record is kept, sealed, for a retry with the same idempotency key; 0s keeps none.",
    ...duration,
  }),
  stopTimeout: setting({
    name: "DUBA_STOP_TIMEOUT",
    default: "25s",
    about: "How long a stop waits for requests in flight.",
    ...duration,
  }),
  logLevel: setting({
    name: "DUBA_LOG_LEVEL",
    default: "info",
    about: "Least severe level that is logged.",
    ...oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
  }),
  accessLog: setting({
    name: "DUBA_ACCESS_LOG",
    default: "failures",
    about: "Which requests get a log line.",
    ...oneOf("failures", "all", "off"),
  }),
  serverTiming: setting({
    name: "DUBA_SERVER_TIMING",
    default: "off",
    about: "Whether answers tell the time they took in a Server-Timing header.",
    ...onOff,
  }),
  trustProxy: setting({
    name: "DUBA_TRUST_PROXY",
    default: "",
    about:
      "Addresses or networks of proxies whose X-Forwarded-For is believed, comma-separated, such as 10.0.0.0/8. Empty: none.",
    form: "a comma-separated list of IP addresses and networks",
    read: (text): string[] | undefined => {
      const entries = text
        .split(",")
        .map((entry) => entry.trim())
        .filter(Boolean);
      return entries.every(isNetwork) ? entries : undefined;
    },
  }),
  callUrl: setting({
    name: "DUBA_URL",
    default: "http://127.0.0.1:8080",
    about: "Service that `duba call` calls.",
    ...httpUrl,
  }),
  callKey: setting({
    name: "DUBA_API_KEY",
    default: "",
    about: "API key that `duba call` sends.",
    ...anyText,
  }),
};

function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

export type Config = {
  [Name in keyof typeof settings]: Exclude<ReturnType<(typeof settings)[Name]["read"]>, undefined>;
};

/** One or more settings cannot be used; `message` names all of them. */
export class ConfigFault extends Error {
  readonly exitCode = 2;
}

/**
 * Reads all settings from the environment; an unset or empty one takes its default. Throws a `ConfigFault` that lists
 * every fault at once, and unknown names that begin with DUBA_ as well: they are most likely typing errors.
 */
export function readConfig(environment: Record<string, string | undefined>): Config {
  const config: Record<string, unknown> = {};
  const faults: string[] = [];
  for (const [member, { name, form, read, default: usual }] of Object.entries(settings)) {
    const value = read(environment[name] || usual);
    if (value === undefined) faults.push(`${name} must be ${form}.`);
    config[member] = value;
  }
  const known = new Set<string>(Object.values(settings).map(({ name }) => name));
  for (const name of Object.keys(environment)) {
    if (name.startsWith("DUBA_") && !name.startsWith("DUBA_TEST_") && !known.has(name))
      faults.push(`${name} is not a setting of Duba.`);
  }
  if (faults.length > 0) throw new ConfigFault(faults.join("\n"));
  return config as Config;
}
