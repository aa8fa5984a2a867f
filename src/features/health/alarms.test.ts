import assert from "node:assert/strict";
import { suite, test } from "node:test";
import type { Alarm, SourceState } from "../../commands/alarm.ts";
import { readConfig } from "../../config/read-config.ts";
import { plainText } from "../../declare/command/rich-text.ts";
import { accept } from "../../declare/command.ts";
import { features } from "../../features.ts";
import { timeZone } from "../../runtime/time-zone.ts";
import { everyCommand } from "../../wire/every-command.ts";
import { lateAlarm } from "../sources/source-health.ts";
import { alarmsOf } from "./alarms.ts";
import type { HealthFacts } from "./health-facts.ts";
import { writtenAlarms } from "./written-alarms.ts";

const now = Date.UTC(2026, 10, 24, 9);
const since = now - 86_400_000;
const pause = { vendor: "dojah", kind: "bvn", why: "load", by: "person:per_0123456789Ab", since, until: now + 60_000 };
const source = { name: "vtpass", stale: true, missed: 4, result: "done", as_of: since, begun_at: since, every: 1 };
const ill = { state: "no_money", since, notAskedSince: since + 60_000 };
const vendor = { name: "peer", ready: false, paused: [], isPaused: false, ill, alarm: "no_money", attemptsLeft: null };

/** Facts of a service with every problem at once. */
const worst = {
  takesWrites: false,
  wroteAt: since,
  withoutVendor: ["bvn"],
  lost: [{ vendor: "dojah", kind: "bvn", since, pause }],
  pauses: [pause],
  vendors: [vendor, { ...vendor, name: "youverify", ready: true, ill: undefined, alarm: null, attemptsLeft: 3 }],
  fewestAttempts: 100,
  roomLeft: 1,
  clockBehind: 90_000,
  clockDoubtedSince: since,
  instances: 1,
  held: [
    {
      draft: "d4",
      since,
      by: "person:per_0123456789Ab",
      what: ["MTNDATA 104: ₦100.00 → ₦10.00"],
      changes: 1,
      reasons: [["MTNDATA 104: price ₦100 → ₦10 (−90 %), beyond the guard's factor of 2."]],
    },
  ],
  ofFeatures: [lateAlarm(source as SourceState)],
  belowCost: ["MTNDATA 104 costs more."],
  loosened: { what: "four eyes are off", at: since },
  unknown: { count: 2, since },
  unsealed: { count: 2, oldest: since },
  jobs: [{ name: "pull the catalogue", code: "EIO", since }],
  dead: 3,
  oldestDead: since,
  endpoints: [
    { id: "ep_q3Jx0vT5bZ1K", isOff: true, since, waiting: 0 },
    { id: "ep_q3Jx0vT5bZ1L", isOff: false, since, waiting: 2 },
  ],
  needsBackup: true,
  backupAt: since - 86_400_000,
  ending: [{ id: "4Zq8mPx0LtV2", accountId: "acc_1", label: "", expires_at: now, near_since: since }],
  spent: [
    { account: "acc_1", kind: "cap", isExhausted: true, used: "₦192,500.00 of ₦180,000.00 used", refusedSince: since },
    { account: "acc_2", kind: "balance", isExhausted: false, used: "₦90.00 left", refusedSince: null },
    { account: "acc_3", kind: "balance", isExhausted: true, used: "₦0.00 left", refusedSince: null },
  ],
} as unknown as HealthFacts;

const away = { ...worst, takesWrites: true, instances: 0 };

async function written(facts: HealthFacts) {
  const alarms: Alarm[] = alarmsOf(facts, now).map((alarm) => ({ ...alarm, acknowledged: null }));
  const accounts = { emails: async () => () => "shop@example.com" };
  const room = { commands: everyCommand, config: readConfig({ DUBA_TIME_ZONE: "Africa/Lagos" }, features), accounts };
  return writtenAlarms(alarms, room as unknown as Parameters<typeof writtenAlarms>[1]);
}

suite("alarms", () => {
  test("alarms name existing commands with valid input, and print their command lines", async () => {
    const commands = new Map((await everyCommand()).map((command) => [command.id, command]));
    const alarms = [...(await written(worst)), ...(await written(away))];
    const all = [...alarmsOf(worst, now), ...alarmsOf(away, now)];
    assert.deepEqual(
      alarms.map(({ mends }) => mends.length),
      all.map(({ mends }) => mends.length),
      "no command is missing",
    );
    for (const { command: id, input, line } of alarms.flatMap(({ mends }) => mends)) {
      const command = commands.get(id)!;
      assert.ok(line.startsWith(`duba ${id.replaceAll(".", " ")}`), line);
      const open = [...line.matchAll(/<(\w+)>/g)].map(([, name]) => [name!, "1"]);
      accept(command, "officer", { ...Object.fromEntries(open), ...input }, timeZone("Africa/Lagos")!);
    }
  });

  test("while the store refuses writes, unsealed audit entries raise no alarm of their own", () => {
    const store = alarmsOf(worst, now).find(({ name }) => name === "store")!;
    assert.deepEqual(store.covers, ["unsealed"]);
  });

  test("an alarm gives its people, accounts and times both as data and in one text", async () => {
    const alarms = new Map((await written(worst)).map((alarm) => [alarm.name, alarm]));
    const paused = alarms.get("paused:dojah")!;
    assert.partialDeepStrictEqual(paused, {
      vendor: "dojah",
      actor: "person:per_0123456789Ab",
      since,
      until: now + 60_000,
      what:
        "The vendor dojah is paused for BVN by person:per_0123456789Ab until 2026-11-24 10:01+01, " +
        "because it is slow or has too much to do. Resume dojah: duba routes resume dojah",
      soon: "The pause of the vendor dojah ends at 2026-11-24 10:01+01: it gets attempts again.",
      mends: [
        {
          says: ["Resume ", { vendor: "dojah" }],
          command: "routes.resume",
          input: { vendor: "dojah" },
          line: "duba routes resume dojah",
        },
      ],
    });
    assert.deepEqual(paused.headline.slice(0, 4), ["The vendor ", { vendor: "dojah" }, " is ", "paused"]);
    const key = alarms.get("key:4Zq8mPx0LtV2")!;
    assert.partialDeepStrictEqual(key, {
      account: "acc_1",
      email: "shop@example.com",
      key: "4Zq8mPx0LtV2",
      until: now,
    });
    assert.match(
      key.what,
      /^The key 4Zq8mPx0LtV2 of shop@example\.com ends 2026-11-24 10:00\+01\. Replace it: duba keys roll/,
    );
    assert.match(alarms.get("backup")!.what, /^The last backup is older than 26 hours\. Make one: duba backup <file>$/);
    assert.match(
      alarms.get("endpoint:ep_q3Jx0vT5bZ1K")!.what,
      /remove ep_q3Jx0vT5bZ1K\. If it is there again: duba events resend ep_/,
    );
  });

  test("if both the store and all vendors fail, only the store's alarm states the HTTP status", () => {
    const said = (takesWrites: boolean) =>
      alarmsOf({ ...worst, takesWrites }, now)
        .filter(({ name }) => ["store", "no-vendor"].includes(name))
        .map(({ headline }) => plainText(headline, { at: String }).match(/answered \d+/)?.[0]);
    assert.deepEqual(said(false), ["answered 500", undefined]);
    assert.deepEqual(said(true), ["answered 503"]);
  });

  test("alarms that affect all clients come before alarms of single clients, which state sum and time", () => {
    const all = alarmsOf({ ...worst, takesWrites: false }, now).filter(({ rank }) => rank === 1);
    assert.deepEqual(
      all.map(({ name }) => name),
      ["store", "room", "clock", "no-vendor", "refused:acc_1", "refused:acc_3"],
    );
    assert.deepEqual(all.at(-2), {
      name: "refused:acc_1",
      rank: 1,
      headline: ["Verifications of ", { account: "acc_1" }, " are refused"],
      detail: ["₦192,500.00 of ₦180,000.00 used", "."],
      mends: [{ says: ["Raise the cap"], command: "accounts.change", input: { account: "acc_1" } }],
      count: null,
      since,
      endsByItself: false,
      covers: [],
      account: "acc_1",
    });
  });

  test("the alarm of a client whose balance is used up proposes a top-up", async () => {
    const { what } = (await written(worst)).find(({ name }) => name === "refused:acc_3")!;
    assert.match(what, /₦0\.00 left\. Top it up: duba accounts top-up acc_3 <amount> --reason <reason>$/);
  });

  test("the alarm of a vendor that gets no requests states the time of the last request", async () => {
    const { what, since: ill } = (await written(worst)).find(({ name }) => name === "vendor:peer")!;
    assert.match(
      what,
      /^The vendor peer has an empty wallet\. .+ No call of a client asked it since 2026-11-23 10:01\+01\. /,
    );
    assert.equal(ill, since);
  });

  test("the alarm of a held catalogue change says what would change, and who made the change", async () => {
    const { what, actor } = (await written(worst)).find(({ name }) => name === "held:d4")!;
    assert.match(what, /^MTNDATA 104: ₦100\.00 → ₦10\.00, by person:per_0123456789Ab, waits for approval\. /);
    assert.equal(actor, "person:per_0123456789Ab");
    const held = worst.held.map((draft) => ({ ...draft, what: ["75 changes"], changes: 75 }));
    const many = (await written({ ...worst, held })).find(({ name }) => name === "held:d4")!;
    assert.match(many.what, /^75 changes, by person:per_0123456789Ab, wait for approval\. /);
  });

  test("alarms omit commands that the build lacks", async () => {
    const room = {
      commands: async () => [],
      config: readConfig({}, features),
      accounts: { emails: async () => (id: string) => id },
    };
    const [alarm] = alarmsOf({ ...away, withoutVendor: [], lost: [] }, now).filter(({ name }) => name === "backup");
    const [said] = await writtenAlarms([{ ...alarm!, acknowledged: null }], room as never);
    assert.deepEqual([said!.what, said!.mends], ["The last backup is older than 26 hours.", []]);
  });
});
