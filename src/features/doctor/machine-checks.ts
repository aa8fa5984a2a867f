import { existsSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { hasLiveKey, listKeys } from "../../access/keys/keys.ts";
import { anchorPath } from "../../audit/anchor/anchor.ts";
import { belowCostIn } from "../../catalogue/guard/below-cost.ts";
import { oddPricesIn, overtakenPricesIn } from "../../catalogue/guard/odd-prices.ts";
import { latestSnapshot } from "../../catalogue/revisions/load.ts";
import { neverFilled, starterPart } from "../../catalogue/starter.ts";
import type { CommandContext } from "../../commands/context.ts";
import { riskySettings } from "../../config/risky-settings.ts";
import { type Mend, type MendWithLine, mend } from "../../declare/command/mend.ts";
import { withLines } from "../../declare/command/with-lines.ts";
import { keyringPath } from "../../keyring/file.ts";
import { currentOf, inUseSince } from "../../keyring/keyring.ts";
import { silent } from "../../runtime/log.ts";
import { nodeRisk } from "../../runtime/node-risk.ts";
import { looseRights } from "../../runtime/private-files.ts";
import { type EndpointMark, markedEndpoints } from "../../storage/events/made-endpoints.ts";
import { ReportStore } from "../../storage/reports.ts";
import { isRehearsal } from "../../verification/stand-in-store.ts";

/** What is wrong, and what to do about it. */
interface Finding {
  sentence: string;
  mends?: readonly Mend[];
  /** The key, endpoint or account that the finding is about. */
  subject?: string;
  /** In milliseconds since 1970. */
  since?: number;
}

interface Result extends Finding {
  check: string;
  passed: boolean;
}

interface WrittenResult extends Required<Pick<Result, "check" | "passed" | "sentence">> {
  mends: readonly MendWithLine[];
  subject: string | null;
  since: number | null;
}

/** Returns a sentence, perhaps with mends, for a passed check; or a list of problems. */
type Check = (room: CommandContext) => Promise<string | Finding | readonly (string | Finding)[]>;

/** Milliseconds. If clocks differ by more, the times of instances, tokens and statements disagree. */
const clockTolerance = 1000;

/** Milliseconds. A record key in use for longer has sealed too many records. */
const oldRing = 365 * 24 * 3_600_000;

/** The marks of endpoints whose key has ended. */
const byEndedKey: ReadonlySet<EndpointMark | null> = new Set(["its key is revoked", "its key has expired"]);

const checks: Readonly<Record<string, Check>> = {
  Node: async () => {
    const risk = nodeRisk();
    return risk
      ? [risk]
      : `${process.versions.node} has the fix of every published security hole that this version knows.`;
  },
  TLS: async ({ config: { publicUrl } }) => {
    if (publicUrl.startsWith("https://")) return `clients call ${publicUrl}.`;
    const is = publicUrl === "" ? "is empty" : `is ${publicUrl}`;
    return [
      `DUBA_PUBLIC_URL ${is}, so keys and BVNs may cross the network in clear text. Put a proxy with TLS in front of Duba, and set DUBA_PUBLIC_URL to its https address.`,
    ];
  },
  async proxy({ config }) {
    const { DUBA_TRUST_PROXY: risk } = riskySettings(config);
    if (risk) return [risk];
    if (config.trustProxy.length > 0 || !config.publicUrl.startsWith("https://"))
      return "Duba sees the addresses of its callers.";
    return [
      "DUBA_TRUST_PROXY is empty, so all callers seem to have the address of the proxy that ends TLS. " +
        "Set it to the address of the proxy, such as 127.0.0.1.",
    ];
  },
  "risky settings": async ({ config }) => {
    const { DUBA_TRUST_PROXY: _, ...others } = riskySettings(config);
    const risks = Object.values(others);
    return risks.length > 0 ? risks : "no other setting is dangerous if it is a mistake.";
  },
  limits: async ({ config: { limits } }) =>
    limits
      ? "limits are on."
      : ["DUBA_LIMITS is off, so one client can use up the service and the vendor's balance. Set it to on."],
  database: async ({ config: { databaseUrl } }) => databaseTransport("DUBA_DATABASE_URL", databaseUrl),
  replica: async ({ config: { databaseReadUrl }, db, now }) => {
    if (!databaseReadUrl) return "reports read the store itself.";
    const transport = databaseTransport("DUBA_DATABASE_READ_URL", databaseReadUrl);
    if (typeof transport !== "string") return transport;
    const reports = new ReportStore(databaseReadUrl, { db, now }, silent);
    try {
      const source = await reports.source();
      return source.db === db ? [source.ageRemark!] : source.ageRemark!;
    } finally {
      await reports.close();
    }
  },
  vendor: async ({ config: { upstreams, vendorPrices }, db }) => {
    const unpriced = upstreams.filter((name) => Object.keys(vendorPrices[name] ?? {}).length === 0);
    if (unpriced.length > 0)
      return unpriced.map(
        (name) =>
          `DUBA_UPSTREAM_PRICES does not name ${name}, so the books know no cost of it and no invoice of it can be checked. Add what it bills, such as ${name}=50.`,
      );
    if (upstreams.length > 0) return `live keys use ${upstreams.join(", then ")}.`;
    const keys = (await listKeys(db)).filter(
      ({ mode, scopes, revoked_at }) => mode === "live" && revoked_at === null && scopes.includes("identity:verify"),
    );
    return keys.length === 0
      ? "no live key may verify persons."
      : [
          {
            sentence: `DUBA_UPSTREAMS is empty, so verifications with live keys get 503. Name a vendor, or take the scope identity:verify from ${keys.map(({ id }) => id).join(", ")}.`,
            mends: keys.map(({ id }) => mend(`Change ${id}`, "keys.change", { id })),
          },
        ];
  },
  rehearsal: async ({ config: { upstream }, db }) => {
    if (await isRehearsal(db))
      return [
        "this store is a rehearsal for ever: its live verifications are of people that stand-ins of vendors " +
          "invented. Go live with a new data directory or database, without DUBA_STAND_INS.",
      ];
    return upstream.standIns
      ? ["DUBA_STAND_INS is on, so the next start makes this store a rehearsal for ever. Set it to off."]
      : "live verifications are of the vendors' people.";
  },
  "key ring": async ({ keyring }) => {
    const { path } = await keyring();
    return `${path} belongs to this store, and only this user can read it.`;
  },
  "key ring apart": async ({ config }) => {
    const path = resolve(keyringPath(config));
    const inside = relative(resolve(config.dataDirectory), path);
    return config.databaseUrl || inside.startsWith("..")
      ? "the key ring is not in the data directory."
      : [
          `the key ring ${path} is in the data directory, so a copy of the data opens the records. Move it elsewhere, and set DUBA_KEYRING to its new path.`,
        ];
  },
  "key ring age": async ({ keyring, db, now, config }) => {
    const { ring } = await keyring();
    const key = currentOf(ring.records, now());
    const since = (await inUseSince(db, key)) ?? now();
    const sentence = `the record key ${key.id} has been in use since ${config.timeZone.dayOf(since)}`;
    return now() - since < oldRing
      ? `${sentence}.`
      : [
          {
            sentence: `${sentence}, for more than a year. Add one, move the records to it, and copy the key ring again. DUBA_KEYRING_ROTATE=90d does the first two by itself.`,
            mends: [mend("Add one", "keyring.rotate", { records: true }), mend("Move the records", "keyring.rewrap")],
            subject: key.id,
            since,
          },
        ];
  },
  files: async ({ config }) => {
    const data = resolve(config.dataDirectory);
    const ofStore = config.databaseUrl
      ? []
      : [data, ...["duba.db", "duba.db-wal", "duba.db-shm"].map((file) => join(data, file))];
    const all = [...ofStore, keyringPath(config), anchorPath(keyringPath(config))].filter((file) => existsSync(file));
    const loose = all.flatMap((file) => {
      const why = looseRights(file, statSync(file));
      return why ? [`${file} ${why}.`] : [];
    });
    return loose.length > 0 ? loose : `only this user can read ${all.join(", ")}.`;
  },
  endpoints: async ({ db, now, accounts }) => {
    const all = await markedEndpoints(db, now());
    const left = all.filter(({ mark, off_since }) => off_since === null && byEndedKey.has(mark));
    if (left.length === 0) return "no endpoint is on whose key has ended.";
    const emails = await accounts.emails(left.map(({ audience }) => audience));
    const named = left.map(
      ({ id, host, audience, mark }) => `${id} of ${emails(audience)} goes to ${host}, and ${mark}`,
    );
    const mends = left.map(({ id }) => mend(`If ${id} is a stranger's`, "events.endpoints.remove", { id }));
    return { sentence: `${named.join("; ")}.`, mends };
  },
  clock: async ({ now, config: { databaseUrl } }) => {
    const ahead = Date.now() - now();
    if (Math.abs(ahead) <= clockTolerance)
      return databaseUrl
        ? "this machine and the database have the same time."
        : "the store uses the clock of this machine.";
    const seconds = `${Math.round(Math.abs(ahead) / 1000)} seconds ${ahead > 0 ? "ahead of" : "behind"}`;
    return [`the clock of this machine is ${seconds} the database's. Synchronise both with NTP.`];
  },
  "starter catalogue": async ({ db }) => {
    const snapshot = await latestSnapshot(db);
    const [parts, empty] = [await starterPart(snapshot), neverFilled(snapshot)];
    if (parts.length === 0)
      return empty.length > 0
        ? empty
        : "the prices are not those of the starter catalogue, and no list is left unfilled.";
    const sold = parts.map(({ list, same, all }) => `${same} of ${all} entries of ${list}`).join(", ");
    return [
      {
        sentence: `${(await hasLiveKey(db)) ? "live keys get" : "live keys would get"} historical sample prices: ${sold} are as in the starter catalogue.`,
        mends: [mend("Import your own prices", "catalogue.import")],
      },
      ...empty,
    ];
  },
  prices: async ({ db, config }) => {
    const snapshot = await latestSnapshot(db);
    const odd = [
      ...(await oddPricesIn(snapshot, config.guard.factor)),
      ...overtakenPricesIn(snapshot).map(({ account, ...found }) => ({ ...found, subject: account })),
      ...(await belowCostIn(snapshot)),
    ];
    return odd.length > 0
      ? odd
      : "no price is 0, far from those of similar entries, below its cost, or overtaken by the catalogue's.";
  },
};

/** Runs all checks. A check that throws has failed, for the reason in its error's sentence. */
export async function checkMachine(room: CommandContext): Promise<WrittenResult[]> {
  const results: Result[] = [];
  for (const [check, run] of Object.entries(checks)) {
    const found = await run(room).catch((error: Error) => [error.message]);
    const passed = !Array.isArray(found);
    for (const one of [found].flat() as (string | Finding)[])
      results.push({ check, passed, ...(typeof one === "string" ? { sentence: one } : one) });
  }
  return Promise.all(
    results.map(async ({ mends = [], subject = null, since = null, ...result }) => ({
      ...result,
      mends: await withLines(mends, room.commands),
      subject,
      since,
    })),
  );
}

/** Checks that the connection to PostgreSQL is encrypted if it leaves this machine. */
function databaseTransport(setting: string, databaseUrl: string): string | readonly string[] {
  if (!databaseUrl) return "the store is a file of this machine.";
  const { hostname, searchParams } = new URL(databaseUrl);
  const isLocal = /^(|localhost|127\..*|\[::1\])$/.test(hostname) || searchParams.get("host")?.startsWith("/");
  if (isLocal) return "the database is on this machine.";
  const mode = searchParams.get("sslmode") ?? "";
  return ["verify-full", "verify-ca", "require"].includes(mode)
    ? "the connection to the database is encrypted."
    : [`${setting} names another machine, ${hostname}, without TLS. Add sslmode=verify-full to it.`];
}
