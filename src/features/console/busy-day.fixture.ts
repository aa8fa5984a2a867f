import assert from "node:assert/strict";
import { ran } from "../../../test/support/command-line.ts";
import type { TestService } from "../../../test/support/service.ts";
import { append } from "../../audit/append.ts";
import { storeRows, verifiedRow } from "../../ledger/ledger-rows.fixture.ts";
import type { PublicState } from "../../ledger/public-state.ts";
import { newReference } from "../../ledger/reference.ts";
import { durationBounds } from "../../runtime/duration-histogram.ts";
import { invitePerson } from "./people/people-rows.ts";
import { beginSession } from "./people/sessions.ts";

/** The environment of a service that `fillBusyDay` fills. */
export const busySettings = {
  DUBA_CONSOLE: "127.0.0.1:0",
  DUBA_UPSTREAMS: "dojah,blusalt",
  DUBA_DOJAH_URL: "http://127.0.0.1:9",
  DUBA_DOJAH_APP_ID: "app",
  DUBA_DOJAH_KEY: "key",
  DUBA_UPSTREAM_PRICES: "dojah.bvn=70,dojah.nin=90",
  DUBA_BLUSALT_URL: "http://127.0.0.1:9",
  DUBA_BLUSALT_KEY: "key",
  DUBA_BLUSALT_CLIENT_ID: "client",
  DUBA_BLUSALT_APP_NAME: "app",
  DUBA_LIMITS: "off",
};

/** For commands that need to be told what they are about: texts of the filled store, by the name of the input. */
export type Subjects = Readonly<Record<string, string>>;

const accounts = [
  ["Kobo Pay", "ops@kobopay.example"],
  ["Ajo Savings Cooperative of Greater Ibadan", "integrations@ajo-savings-cooperative.example"],
  ["Zaria Lenders", "it@zaria.example"],
  ["Lagos Till", "till@lagos.example"],
  ["Uyo Fresh", "hello@uyofresh.example"],
] as const;

const states: readonly PublicState[] = [
  ...Array.from({ length: 14 }, () => "verified" as const),
  ...(["not_found", "phone_mismatch", "failed", "refused"] as const),
];

const minute = 60_000;
const day = 24 * 60 * minute;

/**
 * Fills a service with accounts, keys, hundreds of verifications, revisions, a held change, alarms and counts of a day.
 */
export async function fillBusyDay(service: TestService, now = Date.now()): Promise<Subjects> {
  const { dataDirectory, databaseUrl } = service.settings;
  const environment = { ...busySettings, DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl, USER: "tunde" };
  const duba = async (...argv: string[]) => {
    const { out, err } = await ran([...argv, "--json"], { environment });
    assert.ok(out !== "", `${argv.join(" ")}: ${err}`);
    return JSON.parse(out) as Record<string, string>;
  };
  const { db } = await service.store();

  const ids: string[] = [];
  const keys: string[] = [];
  for (const [name, email] of accounts) {
    ids.push((await duba("accounts", "create", "--name", name, "--email", email)).id!);
    for (const [mode, label] of [
      ["live", "Checkout"],
      ["test", "Staging of the mobile team"],
    ] as const)
      keys.push((await duba("keys", "create", "--account", email, "--mode", mode, "--label", label)).id!);
  }
  const [, ajo, , till] = accounts.map(([, email]) => email);
  await duba("keys", "change", keys[0]!, "--scope", "catalogue:read", "--address", "102.89.32.0/24", "--yes");
  await duba("keys", "roll", keys[2]!, "--overlap", "1d");
  await duba("accounts", "change", ajo!, "--cap-naira", "250000", "--cap-count", "2000");
  await duba("accounts", "change", accounts[0][1], "--prepaid", "on", "--yes");
  await duba("accounts", "top-up", accounts[0][1], "50000", "--reason", "Transfer 8841");
  await duba("accounts", "suspend", accounts[4][1], "--yes");
  await db
    .insertInto("key_use")
    .values(
      keys
        .slice(0, 7)
        .map((key_id, at) => ({ key_id, used_at: now - at * at * 40 * minute, address: `102.89.32.${at + 7}` })),
    )
    .execute();

  const rows = Array.from({ length: 420 }, (_, at) => {
    const state = states[(at * 7) % states.length]!;
    const begun = now - 3 * minute - Math.floor((at * at * 41 * day) / 420 ** 2);
    const isVerified = state === "verified";
    const account = ids[(at * 3) % 4]!;
    return verifiedRow(account, begun, {
      reference: newReference(begun),
      key_id: keys[((at * 3) % 4) * 2]!,
      kind: at % 5 === 0 ? "nin" : "bvn",
      mode: at % 12 === 5 ? "test" : "live",
      state,
      subject_hash: `v1:subject${at % 380}`,
      subject_last4: String((at * 7919) % 10_000).padStart(4, "0"),
      charged: isVerified ? 1 : 0,
      charged_at: isVerified ? begun + 1_240 : null,
      consent_reference: at % 3 === 0 ? `consent-2026-${at}` : null,
      request_id: `req-${begun.toString(36)}-${at}`,
      completed_at: begun + 1_240,
    });
  });
  const unknown = [11, 35].map((minutes, at) =>
    verifiedRow(ids[0]!, now - minutes * minute, {
      reference: newReference(now - minutes * minute),
      key_id: keys[0]!,
      state: "unknown",
      charged: 0,
      charged_at: null,
      completed_at: null,
      subject_hash: `v1:unknown${at}`,
      subject_last4: `44${at}1`,
    }),
  );
  await storeRows(db, ...rows, ...unknown);
  const attempts = [...rows, ...unknown].filter(({ state }) => state !== "refused");
  for (let at = 0; at < attempts.length; at += 200)
    await db
      .insertInto("verification_attempt")
      .values(
        attempts
          .slice(at, at + 200)
          .map(({ reference, account_id, mode, kind, state, reason, started_at, completed_at, request_id }, place) => ({
            reference,
            account_id,
            mode,
            kind,
            request_id,
            number: 1,
            vendor: place % 6 === 0 ? "blusalt" : "dojah",
            started_at: started_at + 4,
            answered_at: completed_at && completed_at - 6,
            outcome: state,
            reason: state === "failed" ? "out_of_service" : reason,
            vendor_reference: completed_at === null ? null : `DJ-${900_000 + at + place}`,
            price: place % 6 === 0 ? null : 7000,
            bill: place % 6 === 0 ? null : state === "failed" ? 0 : 7000,
            bill_certain: state === "unknown" ? 0 : 1,
          })),
      )
      .execute();
  await duba("books", "rebuild-sums");
  await duba("routes", "pause", "blusalt");
  await duba(
    "books",
    "adjust",
    "--account",
    till!,
    "--credit",
    "200",
    "--reason",
    "Two checks during the outage of 14 November",
  );

  for (const [code, price, note] of [
    ["MTNDATA 104", "105", "New price list of MTN"],
    ["MTNDATA 113", "205", "Rounded"],
    ["MTNDATA 104", "1900", "From the letter of 20 November"],
  ] as const)
    await duba("catalogue", "edit", code, "--price", price, "--note", note);
  await duba(
    "catalogue",
    "edit",
    "MTNDATA mtn-1gb-1day",
    "--price",
    "360",
    "--holds-from",
    "2099-01-01T09:00Z",
    "--note",
    "New year",
  );
  await duba("prices", "set", ajo!, "dstv", "--margin", "2.5");

  const endpoint = await duba(
    "events",
    "endpoints",
    "add",
    "https://hooks.kobopay.example/duba",
    "--account",
    accounts[0][1],
  );
  await duba("prices", "set", accounts[0][1], "gotv", "--margin", "1");
  await db
    .updateTable("event_delivery")
    .set({ state: "dead", attempts: 9, tried_at: now - minute, outcome: "503" })
    .execute();

  const minutes = Array.from({ length: 24 * 60 }, (_, at) => {
    const wave = 1 + 0.45 * Math.cos((at / 720) * Math.PI) + 0.07 * Math.sin(at);
    return { at, wave, row: { minute: (Math.floor(now / minute) - at) * minute, instance: "busy" } };
  });
  const counts = minutes.flatMap(({ at, wave, row }) => [
    { ...row, operation: "listDataBundles", outcome: "ok", answers: Math.round(820 * wave) },
    { ...row, operation: "listDataBundles", outcome: "rate_limited", answers: at % 40 < 3 ? 22 : 0 },
    { ...row, operation: "verifyBvn", outcome: "ok", answers: Math.round(34 * wave) },
    { ...row, operation: "verifyBvn", outcome: "bvn_not_found", answers: Math.round(4 * wave) },
    { ...row, operation: "verifyBvn", outcome: "upstream_unavailable", answers: at % 90 < 6 ? 3 : 0 },
  ]);
  const bell = (middle: number, all: number) =>
    JSON.stringify([...durationBounds, 0].map((_, bucket) => Math.round(all / 3 ** Math.abs(bucket - middle))));
  const durations = minutes.flatMap(({ wave, row }) => [
    { ...row, about: "look-ups", buckets: bell(2, 500 * wave) },
    { ...row, about: "verifications", buckets: bell(12, 20 * wave) },
  ]);
  for (let at = 0; at < counts.length; at += 1200)
    await db
      .insertInto("minute_outcome")
      .values(counts.slice(at, at + 1200))
      .execute();
  for (let at = 0; at < durations.length; at += 1200)
    await db
      .insertInto("minute_duration")
      .values(durations.slice(at, at + 1200))
      .execute();

  for (const path of ["/api/v2/data-providers", "/api/v2/nothing", "/api/v2/corporate-data/list"])
    await service.ask(path);
  const answer = await service.verify();
  const requestId = String(answer.headers["x-request-id"]);
  await service.ask(`/api/v2/requests/${requestId}`);
  return {
    account: till!,
    id: keys[0]!,
    endpoint: endpoint.id!,
    event: (await db.selectFrom("event").select("id").executeTakeFirstOrThrow()).id,
    person: "officer@localhost",
    vendor: "dojah",
    revision: "d3",
    search: "MTNDATA 104",
    draft: "d4",
    from: "1",
    to: "3",
    reference: rows[0]!.reference,
    request_id: requestId,
    month: new Date(new Date(now).setUTCDate(0)).toISOString().slice(0, 7),
  };
}

/** Signs an officer in, and returns the secret of the session. */
export async function officersSession(service: TestService, name = "Ada Obi"): Promise<string> {
  const { db, now } = await service.store();
  const room = { db, audit: append, actor: "terminal", now };
  for (const [email, role] of [
    ["bola@duba.example", "operator"],
    ["mary@duba.example", "viewer"],
  ] as const)
    await invitePerson(room, { email, role });
  const { person } = await invitePerson(room, { email: "ada@duba.example", role: "officer" });
  await db.deleteFrom("person_invitation").where("person_id", "=", person.id).execute();
  const passkey = {
    id: "passkey",
    person_id: person.id,
    public_key: "",
    counter: 0,
    transports: "[]",
    name: "Laptop",
    created_at: now(),
  };
  await db.insertInto("passkey").values(passkey).execute();
  await db.updateTable("person").set({ name }).where("id", "=", person.id).execute();
  return beginSession(db, person.id, now());
}
