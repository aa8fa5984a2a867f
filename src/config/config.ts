import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { syncSettings } from "../catalogue/sync/settings.ts";
import { koboOf } from "../operation/money.ts";
import {
  anyText,
  count,
  countOrNone,
  duration,
  httpUrl,
  limit,
  oneOf,
  onOff,
  type Setting,
  setting,
  size,
  someTime,
  someTimeOrNone,
} from "../operation/setting.ts";
import { missingOf, type VendorValues } from "../upstreams/ports/vendor.ts";
import { catalogueSources, vendors } from "../upstreams/registry.ts";
import { upstreamSettings } from "../upstreams/settings.ts";

const vendorNames = vendors.map(({ name }) => name);

/** The bootstrap key of the README's examples. */
const publishedKey = "a-known-key-for-the-sandbox";

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
    secret: true,
    read: (text) => (text === "" || /^postgres(ql)?:\/\//.test(text) ? text : undefined),
  }),
  keyring: setting({
    name: "DUBA_KEYRING",
    default: "",
    about:
      "File with the keys that seal records and hash BVNs. Empty: beside the data directory, with .keyring after its name. Keep a copy; share it between instances of one PostgreSQL.",
    ...anyText,
  }),
  keyringRotate: setting({
    name: "DUBA_KEYRING_ROTATE",
    default: "",
    about:
      "How long a record key serves before the service adds the next one by itself; it retires each once no record is sealed under it. The ring's file must be writable, and one for all instances. Empty: off.",
    ...someTimeOrNone,
  }),
  bootstrapKey: setting({
    name: "DUBA_BOOTSTRAP_KEY",
    default: "",
    about:
      "Known value for the Sandbox account's test key, for scripts and compose files. Once the setting is gone, that key is revoked.",
    form: "at least 24 visible characters that do not begin with duba_live_",
    secret: true,
    read: (text) =>
      text === "" || (/^[!-~]{24,255}$/.test(text) && !text.startsWith("duba_live_")) ? text : undefined,
  }),
  anonymous: setting({
    name: "DUBA_ANONYMOUS",
    default: "on",
    about: "Whether bundles, add-ons and cable discovery answer callers without a credential.",
    ...onOff,
  }),
  publicUrl: setting({
    name: "DUBA_PUBLIC_URL",
    default: "",
    about:
      "Where callers reach the service, for help links, the OpenAPI document and samples, such as https://duba.example. Empty: links are paths, and samples name this machine.",
    form: "http:// or https:// and a host, such as https://duba.example",
    /** Without a slash at its end. */
    read: (text) =>
      text === "" ? text : /^(https?:\/\/(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::\d{1,5})?)\/?$/.exec(text)?.[1],
  }),
  docs: setting({
    name: "DUBA_DOCS",
    default: "on",
    about: "Whether the start page, the pages under /docs and /openapi.json are served.",
    ...onOff,
  }),
  limits: setting({
    name: "DUBA_LIMITS",
    default: "on",
    about: "Whether callers are limited at all. The vendor cap and the limit of failed credentials hold in any case.",
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
    about: "Look-ups without a credential and pages of one address, per process.",
    ...limit,
  }),
  limitVerification: setting({
    name: "DUBA_LIMIT_VERIFICATION",
    default: "60/min",
    about: "Verifications of one account, retries that ask the source again included.",
    ...limit,
  }),
  limitInFlight: setting({
    name: "DUBA_LIMIT_IN_FLIGHT",
    default: "20",
    about: "Verifications of one account that may run at once, per process.",
    ...count,
  }),
  limitNegatives: setting({
    name: "DUBA_LIMIT_NEGATIVES",
    default: "100/h",
    about: "Verifications of one account without a match.",
    ...limit,
  }),
  limitSubject: setting({
    name: "DUBA_LIMIT_SUBJECT",
    default: "5/h",
    about: "Questions about one BVN that an account may have put to live sources, retries included.",
    ...limit,
  }),
  limitSubjectNegatives: setting({
    name: "DUBA_LIMIT_SUBJECT_NEGATIVES",
    default: "10/day",
    about: "Live verifications of one BVN by one account without a match.",
    ...limit,
  }),
  limitFailedCredentials: setting({
    name: "DUBA_LIMIT_FAILED_CREDENTIALS",
    default: "20/min",
    about: "Failed credentials of one address, per process.",
    ...limit,
  }),
  limitBody: setting({
    name: "DUBA_LIMIT_BODY",
    default: "16KiB",
    about: "Largest body of a request.",
    ...size,
  }),
  limitUrl: setting({
    name: "DUBA_LIMIT_URL",
    default: "8KiB",
    about: "Longest URL of a request.",
    ...size,
  }),
  limitHeaders: setting({
    name: "DUBA_LIMIT_HEADERS",
    default: "16KiB",
    about: "Largest headers of a request, its first line included.",
    ...size,
  }),
  requestTimeout: setting({
    name: "DUBA_REQUEST_TIMEOUT",
    default: "10s",
    about: "How long a request may take to arrive.",
    ...someTime,
  }),
  answerTimeout: setting({
    name: "DUBA_ANSWER_TIMEOUT",
    default: "30s",
    about: "How long an answer may wait for its caller to read it; then the connection is cut.",
    ...someTime,
  }),
  maxConnections: setting({
    name: "DUBA_MAX_CONNECTIONS",
    default: "2000",
    about: "Connections that may be open at once, per process; further ones are closed unanswered.",
    ...count,
  }),
  verificationTimeout: setting({
    name: "DUBA_VERIFICATION_TIMEOUT",
    default: "20s",
    about: "How long a verification may take to be answered.",
    ...someTime,
  }),
  tokenLifetime: setting({
    name: "DUBA_TOKEN_LIFETIME",
    default: "24h",
    about: "How long an access token lives; never less than 3 hours.",
    form: "a length of time of 3h or more",
    read: (text) => {
      const milliseconds = duration.read(text);
      return milliseconds !== undefined && milliseconds >= 3 * 3_600_000 ? milliseconds : undefined;
    },
  }),
  guardRemoval: setting({
    name: "DUBA_GUARD_REMOVAL",
    default: "30%",
    about: "Part of a list of the catalogue that a change may remove without being approved.",
    form: "a percentage from 0% to 100%",
    /** A part of 1. */
    read: (text): number | undefined => {
      const part = /^(\d{1,3})%$/.exec(text)?.[1];
      return part !== undefined && Number(part) <= 100 ? Number(part) / 100 : undefined;
    },
  }),
  guardPriceFactor: setting({
    name: "DUBA_GUARD_PRICE_FACTOR",
    default: "2",
    about: "By how much a price may rise or fall without being approved: 2 is twice, or half.",
    form: "a number of 1 or more, such as 1.5",
    read: (text): number | undefined => (/^[1-9]\d{0,5}(\.\d{1,3})?$/.test(text) ? Number(text) : undefined),
  }),
  catalogueHistory: setting({
    name: "DUBA_CATALOGUE_HISTORY",
    default: "400d",
    about:
      "How long revisions of the catalogue, their changes and rejected drafts are kept; the newest revision stays however old it is.",
    form: "a length of time of 24h or more, such as 400d",
    read: (text) => {
      const milliseconds = duration.read(text);
      return milliseconds !== undefined && milliseconds >= 24 * 3_600_000 ? milliseconds : undefined;
    },
  }),
  upstreams: setting({
    name: "DUBA_UPSTREAMS",
    default: "",
    about:
      "Identity sources that live keys reach, in the order in which they are asked. Empty: live keys verify nobody.",
    form: `a comma-separated list out of ${vendorNames.join(", ")}: test keys reach the sandbox, live keys never do`,
    read: (text): string[] | undefined => {
      const names = text.split(",").map((name) => name.trim());
      if (text.trim() === "") return [];
      const isFit = names.every((name) => vendorNames.includes(name)) && new Set(names).size === names.length;
      return isFit ? names : undefined;
    },
  }),
  afterTimeout: setting({
    name: "DUBA_UPSTREAM_AFTER_TIMEOUT",
    default: "stop",
    about:
      "What follows when a source did not answer in time: nothing, or the next source, and both may want to be paid.",
    ...oneOf("stop", "next"),
  }),
  vendorCallsPerDay: setting({
    name: "DUBA_VENDOR_CALLS_PER_DAY",
    default: "",
    about: "Most questions put to live identity sources for one account in 24 hours, paid or not. Empty: no cap.",
    ...countOrNone,
  }),
  bvnFee: setting({
    name: "DUBA_BVN_FEE",
    default: "100",
    about: "Fee of one verified BVN in naira; 0: free.",
    form: 'an amount in naira, such as "100" or "100.50"',
    /** Kobo. */
    read: (text) => koboOf(text),
  }),
  amountPolicy: setting({
    name: "DUBA_AMOUNT_POLICY",
    default: "record",
    about:
      "What happens when the amount of a verification is not the fee: noted on the ledger, or refused. A fee of 0 takes any.",
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
  auditAnchorLog: setting({
    name: "DUBA_AUDIT_ANCHOR_LOG",
    default: "off",
    about:
      "Whether the log holds the audit trail's newest head too, once a minute at most: for logs that are kept on another machine.",
    ...onOff,
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
  metrics: setting({
    name: "DUBA_METRICS",
    default: "",
    about: "Address and port on which GET /metrics is served for Prometheus, such as 127.0.0.1:9464. Empty: nowhere.",
    form: "an IP address and a port, such as 127.0.0.1:9464 or [::1]:9464",
    read: (text): { host: string; port: number } | null | undefined => {
      if (text === "") return null;
      const [, host = "", port = ""] = /^\[?([^\]]*?)\]?:(\d{1,5})$/.exec(text) ?? [];
      return isIP(host) && Number(port) <= 65535 ? { host, port: Number(port) } : undefined;
    },
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
    onlyCall: true,
    ...httpUrl,
  }),
  callKey: setting({
    name: "DUBA_API_KEY",
    default: "",
    about: "API key that `duba call` sends.",
    secret: true,
    onlyCall: true,
    ...anyText,
  }),
};

function isNetwork(text: string): boolean {
  const [address = "", prefix, ...rest] = text.split("/");
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128));
}

/** Those of the vendors as well. A vendor of both kinds has its settings once. */
export const everySetting: readonly Setting<unknown>[] = [
  ...new Set<Setting<unknown>>([
    ...Object.values(settings),
    ...Object.values(syncSettings),
    ...Object.values(upstreamSettings),
    ...[...vendors, ...catalogueSources].flatMap(({ settings }) => Object.values(settings)),
  ]),
];

type Values<Settings extends Readonly<Record<string, Setting<unknown>>>> = {
  [Name in keyof Settings]: Exclude<ReturnType<Settings[Name]["read"]>, undefined>;
};

export type Config = Values<typeof settings> & {
  /** What all live upstreams have in common. */
  upstream: Values<typeof upstreamSettings>;
  /** What differs from the defaults of a service: a secret without its text, a URL without user and password. */
  given: readonly { name: string; value: string }[];
  /** By the name of the vendor. */
  vendors: Readonly<Record<string, VendorValues>>;
  /** Milliseconds that each vendor may take for a question, by its name. */
  vendorTimeouts: Readonly<Record<string, number>>;
  /** The source that the catalogue follows, and how. */
  pull: Values<typeof syncSettings>;
  /** By the name of the catalogue source. */
  sources: Readonly<Record<string, VendorValues>>;
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
  const faults: string[] = [];
  const config: Config = {
    ...(valuesOf(settings, environment, faults) as Values<typeof settings>),
    given: givenIn(environment),
    upstream: valuesOf(upstreamSettings, environment, faults) as Config["upstream"],
    vendors: Object.fromEntries(
      vendors.map(({ name, settings }) => [name, valuesOf(settings, environment, faults) as VendorValues]),
    ),
    vendorTimeouts: {},
    pull: valuesOf(syncSettings, environment, faults) as Config["pull"],
    sources: Object.fromEntries(
      catalogueSources.map(({ name, settings }) => [name, valuesOf(settings, environment, faults) as VendorValues]),
    ),
  };
  for (const vendor of vendors) {
    const missing = config.upstreams?.includes(vendor.name) ? missingOf(vendor, config.vendors[vendor.name]!) : [];
    if (missing.length > 0)
      faults.push(`${settings.upstreams.name} has ${vendor.name}, which needs ${missing.join(", ")}.`);
  }
  const common = environment[upstreamSettings.timeout.name] ? config.upstream.timeout : undefined;
  config.vendorTimeouts = Object.fromEntries(
    vendors.map(({ name, timeout }) => [name, common ?? timeout ?? config.upstream.timeout]),
  );
  faults.push(...timeoutFaults(config, common !== undefined));
  const followed = catalogueSources.find(({ name }) => name === config.pull.source);
  const missing = followed ? missingOf(followed, config.sources[followed.name]!) : [];
  if (missing.length > 0)
    faults.push(`${syncSettings.source.name} is ${followed!.name}, which needs ${missing.join(", ")}.`);
  const isLocal = config.host === undefined || /^(?:127\.|::1$|localhost$)/.test(config.host);
  if (config.bootstrapKey === publishedKey && !isLocal)
    faults.push(
      `${settings.bootstrapKey.name} is the key that the README prints for everybody, and ${settings.host.name} lets the network reach it. Choose a key of your own, or listen on 127.0.0.1.`,
    );
  const known = new Set(everySetting.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name])));
  for (const name of Object.keys(environment)) {
    if (name.startsWith("DUBA_") && !name.startsWith("DUBA_TEST_") && !known.has(name))
      faults.push(`${name} is not a setting of Duba.`);
  }
  // A setting that two have in common is read twice.
  if (faults.length > 0) throw new ConfigFault([...new Set(faults)].join("\n"));
  return config;
}

/** A vendor's silence must be known before the caller is answered. One with a time-out of its own is listened to beyond that. */
function timeoutFaults({ upstream, upstreams, verificationTimeout: limit }: Config, isGiven: boolean): string[] {
  const isUsed = isGiven || vendors.some(({ name, timeout }) => !timeout && upstreams?.includes(name));
  if (!isUsed || limit === undefined || upstream.timeout === undefined || upstream.timeout < limit) return [];
  const [own, whole] = [upstreamSettings.timeout.name, settings.verificationTimeout.name];
  return [
    `${own} is ${upstream.timeout}ms and ${whole} is ${limit}ms: ${own} must be the shorter one, such as ${Math.ceil(limit * 0.75)}ms.`,
  ];
}

function givenIn(environment: Record<string, string | undefined>): { name: string; value: string }[] {
  return everySetting.flatMap(({ name, default: usual, secret, onlyCall }) => {
    const text = environment[name] || (secret && environment[`${name}_FILE`]) || usual;
    return text === usual || onlyCall ? [] : [{ name, value: secret ? "(a secret)" : withoutUser(text) }];
  });
}

/** A URL without user and password; other text as it is. */
function withoutUser(text: string): string {
  return text.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/?#]*@/i, "$1");
}

function valuesOf(
  members: Readonly<Record<string, Setting<unknown>>>,
  environment: Record<string, string | undefined>,
  faults: string[],
): Record<string, unknown> {
  const read = Object.entries(members).map(([member, setting]) => {
    const text = setting.secret ? secretOf(setting.name, environment, faults) : environment[setting.name];
    const value = setting.read(text || setting.default);
    if (value === undefined) faults.push(`${setting.name} must be ${setting.form}.`);
    return [member, value];
  });
  return Object.fromEntries(read);
}

/** A secret stands in the environment, or in the file that `NAME_FILE` names. */
export function secretOf(
  name: string,
  environment: Record<string, string | undefined>,
  faults: string[],
): string | undefined {
  const file = environment[`${name}_FILE`];
  if (!file) return environment[name];
  if (environment[name]) faults.push(`${name} and ${name}_FILE are both given: keep one.`);
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    faults.push(`${name}_FILE names a file that cannot be read (${(error as NodeJS.ErrnoException).code}).`);
    return undefined;
  }
}
