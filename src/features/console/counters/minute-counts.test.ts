import assert from "node:assert/strict";
import { test } from "node:test";
import { usualEngines } from "../../../../test/support/engines.ts";
import { ResponseCounts } from "../../../http/monitoring/response-counts.ts";
import { openStore } from "../../../storage/store.ts";
import { type ChartRange, chartsOf, liveCalls } from "./charts.ts";
import { countedSubjects, keepMinuteCounts } from "./minute-counts.ts";

const minute = 60_000;

for (const engine of usualEngines)
  test(`minute counts of several processes add up, and outlive their processes, on ${engine.name}`, async () => {
    const fresh = await engine.ready();
    const { db, close } = await openStore({ ...fresh.settings, serving: true, starting: true });
    const clock = { at: 1_800_000_000_000 };
    const now = () => clock.at;
    const figures = async (range: ChartRange = "hour") => {
      const charts = (await Promise.all(countedSubjects.map((about) => chartsOf({ db, now }, range, about)))).flat();
      return charts.map(({ series }) => series.map(({ name, sum }) => `${name} ${sum}`).join(", "));
    };
    const [one, other] = [new ResponseCounts(), new ResponseCounts()];
    for (const counts of [one, other]) counts.measureDurations();
    const kept = [one, other].map((answers, index) => keepMinuteCounts({ db, now }, answers, `process ${index}`));
    const flush = () => Promise.all(kept.map((each) => each.flush()));

    one.of("lookupDataBundles").test.ok += 3;
    one.of("lookupDataBundles").none.failed("provider_not_found");
    other.of("lookupDataBundles").live.ok += 2;
    other.of("lookupDataBundles").live.notModified += 1;
    other.of("verifyBvn").live.ok += 1;
    other.of("verifyBvn").live.failed("bvn_not_found");
    // Test-mode verifications must appear in no chart and no figure.
    other.of("verifyBvn").test.ok += 7;
    other.of("verifyBvn").none.failed("missing_credentials");
    other.of("verifyBvn").test.durations!.add(9_000_000);
    for (const _ of Array(99)) one.of("lookupDataBundles").test.durations!.add(800);
    other.of("verifyBvn").live.durations!.add(40_000);
    await flush();
    // A second write in the same minute adds only the difference.
    one.of("lookupDataBundles").live.ok += 4;
    other.of("lookupDataBundles").live.durations!.add(90_000);
    await flush();
    await flush();
    const first = [
      "answered 10, refused 1, failed 0",
      "median 0.75 ms, 95 % 0.98 ms",
      "verified 1, no match 1, refused 0, failed 0",
      "median 38 ms, 95 % 49 ms",
    ];
    assert.deepEqual(await figures(), first);
    const calls = await liveCalls({ db, now }, "hour");
    assert.deepEqual(calls.steps.at(-1), { calls: 2, answered: 2 });
    assert.equal(calls.before, null, "nothing was counted in the hour before");

    clock.at += minute;
    one.of("lookupDataBundles").none.failed("internal_error");
    for (const _ of Array(9)) one.of("lookupDataBundles").none.durations!.add(90_000);
    await Promise.all(kept.map(({ flush }) => flush()));
    const second = ["answered 10, refused 1, failed 1", "median 0.78 ms, 95 % 73 ms", ...first.slice(2)];
    assert.deepEqual(await figures(), second);
    const [answered, took] = await chartsOf({ db, now }, "hour", "look-ups");
    assert.deepEqual(answered!.series[0]!.values.slice(-3), [0, 10, 0]);
    assert.deepEqual(
      took!.series.map(({ values }) => values.at(-2)),
      [0.75, 0.98],
    );
    clock.at += 90 * minute;
    assert.deepEqual((await figures())[0], "answered 0, refused 0, failed 0");
    assert.deepEqual(await figures("day"), second);
    assert.equal((await liveCalls({ db, now }, "hour")).before, null, "only a part of the hour before was counted");
    clock.at += 60 * minute;
    assert.deepEqual((await liveCalls({ db, now }, "hour")).before, { calls: 0, answered: 0 });
    await close();
    await fresh.dispose();
  });
