import assert from "node:assert/strict";
import { test } from "node:test";
import { engines } from "../../../test/support/engines.ts";
import { AnswerCounts } from "../../http/monitoring/answer-counts.ts";
import { silent } from "../../runtime/log.ts";
import { openStore } from "../../storage/store.ts";
import { chartsOf, keepMinuteCounts } from "./minute-counts.ts";

const minute = 60_000;

for (const engine of engines)
  test(`counts of several processes add up by the minute, survive them, and go after 35 days, on ${engine.name}`, async () => {
    const fresh = await engine.ready();
    const { db, close } = await openStore({ ...fresh.settings, serving: true });
    const clock = { at: 1_800_000_000_000 };
    const now = () => clock.at;
    const sums = async () => {
      const [answers] = await chartsOf({ db, now }, "hour");
      const sum = (values: readonly (number | null)[]) => values.reduce<number>((all, value) => all + (value ?? 0), 0);
      return Object.fromEntries(answers!.series.map(({ name, values }) => [name, sum(values)]));
    };
    const [one, other] = [new AnswerCounts(), new AnswerCounts()];
    const kept = [one, other].map((answers) => keepMinuteCounts({ db, now }, answers, silent));

    one.of("lookupDataBundles").test.ok += 3;
    one.of("lookupDataBundles").none.failed("provider_not_found");
    other.of("lookupDataBundles").live.ok += 2;
    other.of("verifyBvn").live.ok += 1;
    await Promise.all(kept.map(({ flush }) => flush()));
    // A second time in the same minute adds only what moved.
    one.of("lookupDataBundles").live.ok += 4;
    await Promise.all(kept.map(({ flush }) => flush()));
    const counted = { "Look-ups": 9, Verifications: 1, "Refused (4xx)": 1, "Failed (5xx)": 0 };
    assert.deepEqual(await sums(), counted);

    // A stop writes what the last minute counted.
    clock.at += minute;
    one.of("lookupDataBundles").none.failed("internal_error");
    await Promise.all(kept.map(({ stop }) => stop()));
    assert.deepEqual(await sums(), { ...counted, "Failed (5xx)": 1 });

    clock.at += 36 * 24 * 60 * minute;
    const later = keepMinuteCounts({ db, now }, new AnswerCounts(), silent);
    await later.stop();
    assert.deepEqual(await db.selectFrom("minute_count").selectAll().execute(), []);
    await close();
    await fresh.dispose();
  });
