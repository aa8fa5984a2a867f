import { until } from "../../support/until.ts";
import { Besieged, path } from "../bystander.ts";

/** 200 callers who ask 400 times each and read no response. They must be cut, and give their memory back. */
export async function slowReaders(): Promise<object> {
  await using besieged = await Besieged.start();
  await besieged.crowd(200, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(400), false);
  const begun = performance.now();
  await besieged.measure("200 who read nothing");
  await until(() => besieged.service.written().includes("did not read their answers"), 30_000);
  const cut = Math.round(performance.now() - begun);
  await besieged.measure("when they are cut");
  return { ...besieged.table, "first cut after, ms": cut };
}
