import assert from "node:assert/strict";
import { Worker } from "node:worker_threads";
import { Besieged, path } from "../bystander.ts";

const request = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n\r\n`;

/** 20 connections that send requests with a wrong key without waiting for answers. Callers must notice little, and the log less. */
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
