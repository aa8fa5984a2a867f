import { withCommands } from "../../../test/support/command-line.ts";
import type { TestService } from "../../../test/support/service.ts";
import { append } from "../../audit/append.ts";
import { done, fillReseller } from "../demo/fill-reseller.ts";
import { clients, type Deed } from "../demo/reseller.ts";
import { vendorSettings } from "../demo/start-vendors.ts";
import { invitePerson } from "./people/people-rows.ts";
import { beginSession } from "./people/sessions.ts";

/** Settings of a service for `fillBusyDay`. The service's vendors are unreachable. */
export const busySettings = {
  ...vendorSettings(() => "http://127.0.0.1:9"),
  DUBA_CONSOLE: "127.0.0.1:0",
  DUBA_LIMITS: "off",
};

/** Texts of the filled store by input member, for commands that need a target. */
export type Subjects = Readonly<Record<string, string>>;

const [kobo, , zaria] = clients.map(({ email }) => email) as [string, string, string];

const day = 24 * 60 * 60_000;

/** Sandbox numbers: verified (17), without a match (01, 02), failed (05), unknown (06). */
const sandboxNumbers = ["22000000017", "00000000001", "00000000002", "00000000005", "00000000006"];

/**
 * Fills a service with the demonstration's data, and adds what that lacks: a narrowed and a rolled key, an adjustment,
 * a pause without an end, a scheduled price, a failed webhook, test verifications and requests.
 */
export async function fillBusyDay(service: TestService, { verifications = 500, days = 7 } = {}): Promise<Subjects> {
  const { dataDirectory, databaseUrl } = service.settings;
  const environment = { ...busySettings, DUBA_DATA: dataDirectory, DUBA_DATABASE_URL: databaseUrl };
  const { db, now } = await service.store();
  const { keys, month, endpoint } = await withCommands(environment, async (context) => {
    const filled = await fillReseller(context, { verifications, since: now() - days * day });
    const [live, , rolled] = filled.keys;
    const deeds: readonly Deed[] = [
      ["keys.change", { id: live!.id, scope: ["catalogue:read"], address: ["102.89.32.0/24"] }],
      ["keys.roll", { id: rolled!.id, overlap: "1d" }],
      ["books.adjust", { account: zaria, credit: "200", reason: "Two checks during the outage", sure: "true" }],
      ["routes.pause", { vendor: "youverify" }],
      ["catalogue.edit", { code: ["MTNDATA", "mtn-1gb-1day"], price: "360", holds_from: "2099-01-01T09:00Z" }],
    ];
    for (const deed of deeds) await done(context, ...deed);
    const url = "https://hooks.kobopay.example/duba";
    const endpoint = await done(context, "events.endpoints.add", { url, account: kobo });
    await done(context, "prices.set", { account: kobo, codes: ["startimes"], margin: "1" });
    return { ...filled, endpoint };
  });
  await db
    .updateTable("event_delivery")
    .set({ state: "dead", attempts: 9, tried_at: now() - 60_000, outcome: "503" })
    .execute();
  const staging = keys.find(({ email, mode }) => email === kobo && mode === "test")!;
  for (const bvn of sandboxNumbers) await service.verify({ bvn, credential: staging.key });

  for (const path of ["/api/v2/data-providers", "/api/v2/nothing", "/api/v2/corporate-data/list"])
    await service.ask(path);
  const answer = await service.verify();
  const requestId = String(answer.headers["x-request-id"]);
  await service.ask(`/api/v2/requests/${requestId}`);
  return {
    account: zaria,
    id: keys[0]!.id,
    endpoint: endpoint.id!,
    event: (await db.selectFrom("event").select("id").executeTakeFirstOrThrow()).id,
    person: "officer@localhost",
    vendor: "dojah",
    revision: "d3",
    search: "MTNDATA 104",
    draft: "d4",
    from: "1",
    to: "3",
    reference: month.findLast(({ row }) => row.state === "verified")!.row.reference,
    request_id: requestId,
    month: new Date(new Date(now()).setUTCDate(0)).toISOString().slice(0, 7),
  };
}

/** Signs an officer in, and returns the session secret. */
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
