import assert from "node:assert/strict";
import { Worker } from "node:worker_threads";
import { until } from "../../support/until.ts";
import { Besieged, path } from "../bystander.ts";

/** 5,000 connections that send nothing, and their effect on a caller. */
export async function idleConnections(): Promise<object> {
  await using besieged = await Besieged.start();
  await besieged.crowd(5000, "", true);
  await besieged.measure("5,000 idle connections");
  await besieged.leave();
  await besieged.measure("when they are gone");
  return besieged.table;
}

/**
 * 200 callers that send 400 requests each and read no response. The service must report that it cuts such connections.
 * The table shows its memory.
 */
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

/**
 * 500 callers that never finish their request. The service must cut these connections within 10 s of the measurement,
 * and answer another caller meanwhile.
 */
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

const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n\r\n`;

/**
 * 20 connections that send requests with a wrong key without waiting for answers. Other callers must still be answered,
 * and the log must stay below 100 lines.
 */
export async function floodOfWrongKeys(): Promise<object> {
  await using besieged = await Besieged.start();
  const { port } = besieged.service;
  const workerData = { port, connections: 20, text: request.repeat(50) };
  const flood = new Worker(new URL("../flooder.ts", import.meta.url), { workerData });
  try {
    await besieged.measure("a flood of wrong keys");
  } finally {
    await flood.terminate();
  }
  await besieged.measure("when it is over");
  const lines = besieged.service.written().split("\n").length;
  assert.ok(lines < 100, `the flood made ${lines} log lines`);
  return { ...besieged.table, "log lines in all": lines };
}
