import assert from "node:assert/strict";
import { until } from "../../support/until.ts";
import { Besieged, path } from "../bystander.ts";

/** 500 callers who never finish their request. They must be cut, and nobody else may notice. */
export async function slowWriters(): Promise<object> {
  await using besieged = await Besieged.start();
  await besieged.crowd(500, `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Slow: `, true);
  const begun = performance.now();
  await besieged.measure("500 slow writers");
  await until(() => besieged.sockets.size === 0, 30_000);
  const cut = Math.round(performance.now() - begun);
  assert.ok(cut < 10_000, `slow writers were cut after ${cut} ms`);
  return { ...besieged.table, "cut after, ms": cut };
}
