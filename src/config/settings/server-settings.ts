import { isIP } from "node:net";
import { duration, someTime } from "../../declare/duration.ts";
import { pathPrefix } from "../../declare/operation.ts";
import { usualKiB } from "../../declare/request-bounds.ts";
import {
  anyText,
  count,
  formerParts,
  narrowNetworks,
  oneOf,
  onOff,
  orNone,
  setting,
  size,
} from "../../declare/setting.ts";

const sizes = formerParts("DUBA_LIMIT_SIZES", "body", "url", "headers");

/** The process: its addresses, its store, and its log. */
export const serverSettings = {
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
    about: "Port to listen on. 0 means any free port.",
    form: "a number from 0 to 65535",
    read: (text) => (/^\d{1,5}$/.test(text) && Number(text) <= 65535 ? Number(text) : undefined),
  }),
  dataDirectory: setting({
    name: "DUBA_DATA",
    default: "./.duba",
    about: "Directory of the SQLite database.",
    form: "a path",
    read: (text) => text || undefined,
  }),
  databaseUrl: setting({
    name: "DUBA_DATABASE_URL",
    default: "",
    about: "PostgreSQL database to use instead of SQLite: postgres://user:password@host:5432/database.",
    form: "a postgres:// URL",
    secret: true,
    read: (text) => (text === "" || /^postgres(ql)?:\/\//.test(text) ? text : undefined),
  }),
  databaseReadUrl: setting({
    name: "DUBA_DATABASE_READ_URL",
    default: "",
    about:
      "Replica of the PostgreSQL database, for reports: lists of verifications, requests and events, books, " +
      "and the audit trail. Each says how old it is. Nothing is decided by it. Empty: " +
      "reports read DUBA_DATABASE_URL.",
    form: "a postgres:// URL",
    secret: true,
    read: (text) => (text === "" || /^postgres(ql)?:\/\//.test(text) ? text : undefined),
  }),
  workers: setting({
    name: "DUBA_WORKERS",
    default: "",
    about:
      "Processes that serve side by side on PostgreSQL, under one that replaces them when they die or hang. " +
      "SIGHUP restarts them one by one. auto: one for each processor. Empty: one process. SQLite always has one.",
    form: "a number from 1 to 64, or auto",
    read: (text): number | "auto" | null | undefined => {
      if (text === "") return null;
      if (text === "auto") return text;
      return /^[1-9]\d?$/.test(text) && Number(text) <= 64 ? Number(text) : undefined;
    },
  }),
  keyring: setting({
    name: "DUBA_KEYRING",
    default: "",
    about:
      "Key ring: the file with the keys that encrypt records and hash BVNs. Empty: " +
      "the path of the data directory plus .keyring. Keep a copy. " +
      "All instances on one PostgreSQL need the same key ring.",
    ...anyText,
  }),
  keyringRotate: setting({
    name: "DUBA_KEYRING_ROTATE",
    default: "",
    about:
      "The service adds a new record key after this time, and removes an old key when no record needs it. " +
      "The service must be able to write the key ring, and all instances must share one file. " +
      "Empty: no automatic rotation.",
    ...orNone(someTime),
  }),
  bootstrapKey: setting({
    name: "DUBA_BOOTSTRAP_KEY",
    default: "",
    about:
      "Fixed test key for the Sandbox account, for scripts and compose files. " +
      "If you remove the setting, the service revokes the key.",
    form: "at least 24 visible characters that do not begin with duba_live_",
    secret: true,
    read: (text) =>
      text === "" || (/^[!-~]{24,255}$/.test(text) && !text.startsWith("duba_live_")) ? text : undefined,
  }),
  pathPrefixes: setting({
    name: "DUBA_PATH_PREFIXES",
    default: pathPrefix,
    about: `What the paths of operations begin with. Clients that call /api/... need /api as well: ${pathPrefix},/api.`,
    form: `a comma-separated list of paths, each once and without a slash at its end, with ${pathPrefix} among them`,
    read: (text): string[] | undefined => {
      const prefixes = text.split(",").map((prefix) => prefix.trim());
      const isList = new Set(prefixes).size === prefixes.length && prefixes.includes(pathPrefix);
      return isList && prefixes.every((prefix) => /^(?:\/[A-Za-z0-9_~-][\w.~-]*)+$/.test(prefix))
        ? prefixes
        : undefined;
    },
  }),
  anonymous: setting({
    name: "DUBA_ANONYMOUS",
    default: "on",
    about: "If on, callers without a credential may read bundles, add-ons, and cable providers and products.",
    ...onOff,
  }),
  publicUrl: setting({
    name: "DUBA_PUBLIC_URL",
    default: "",
    about:
      "Public address of the service, for help links, the OpenAPI document and code samples. Empty: " +
      "links are paths, and samples use the local address.",
    form: "http:// or https:// and a host, such as https://duba.example",
    /** Without a slash at its end. */
    read: (text) =>
      text === "" ? text : /^(https?:\/\/(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+)(?::\d{1,5})?)\/?$/.exec(text)?.[1],
  }),
  docs: setting({
    name: "DUBA_DOCS",
    default: "on",
    about: "If on, the service serves the start page, the pages under /docs and /openapi.json.",
    ...onOff,
  }),
  limitBody: setting({
    name: "DUBA_LIMIT_BODY",
    default: `${usualKiB.body}KiB`,
    about: "Maximum size of the body of a request.",
    ...size,
    former: sizes("body"),
  }),
  limitUrl: setting({
    name: "DUBA_LIMIT_URL",
    default: `${usualKiB.url}KiB`,
    about: "Maximum size of the path and query of a request.",
    ...size,
    former: sizes("url"),
  }),
  limitHeaders: setting({
    name: "DUBA_LIMIT_HEADERS",
    default: `${usualKiB.headers}KiB`,
    about: "Maximum size of the headers of a request.",
    ...size,
    former: sizes("headers"),
  }),
  requestTimeout: setting({
    name: "DUBA_REQUEST_TIMEOUT",
    default: "10s",
    about:
      "Maximum time to receive a whole request. A caller has three times as long to read a response; " +
      "then the service closes the connection.",
    ...someTime,
  }),
  maxConnections: setting({
    name: "DUBA_MAX_CONNECTIONS",
    default: "2000",
    about: "Maximum open connections per process. The service closes further ones without a response.",
    ...count,
  }),
  stopDelay: setting({
    name: "DUBA_STOP_DELAY",
    default: "0s",
    about:
      "On SIGTERM, how long the service goes on serving while /readyz answers 503, so that proxies send new " +
      "requests elsewhere. A second SIGTERM ends the delay.",
    ...duration,
  }),
  trustProxy: setting({
    name: "DUBA_TRUST_PROXY",
    default: "",
    about:
      "Your reverse proxies. The service reads the caller's address from X-Forwarded-For only if the request comes " +
      "from one of them. Empty: none.",
    ...narrowNetworks,
  }),
  logLevel: setting({
    name: "DUBA_LOG_LEVEL",
    default: "info",
    about: "Lowest level that the service logs.",
    ...oneOf("fatal", "error", "warn", "info", "debug", "trace", "silent"),
  }),
  accessLog: setting({
    name: "DUBA_ACCESS_LOG",
    default: "failures",
    about: "Requests that get a log line.",
    ...oneOf("failures", "all", "off"),
  }),
  requestLog: setting({
    name: "DUBA_REQUEST_LOG",
    default: "7d",
    about:
      "How long callers can read how their requests were answered, with GET /api/v2/requests. " +
      "The log has no content of requests. off: it keeps nothing.",
    form: "off, or a length of time from 1h to 30d",
    read: (text): number | null | undefined => {
      const kept = duration.read(text);
      if (text === "off") return null;
      return kept !== undefined && kept >= duration.read("1h")! && kept <= duration.read("30d")! ? kept : undefined;
    },
  }),
  fourEyes: setting({
    name: "DUBA_FOUR_EYES",
    default: "off",
    about:
      "If on, nobody can approve a catalogue change that they made, or approve one at the terminal, " +
      "and much money for an account needs two people.",
    ...onOff,
  }),
  serverTiming: setting({
    name: "DUBA_SERVER_TIMING",
    default: "off",
    about: "If on, each response has a Server-Timing header with its processing time.",
    ...onOff,
  }),
};
