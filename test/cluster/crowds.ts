import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { Agent } from "node:http";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { engines } from "../support/engines.ts";
import { serveInProcess } from "../support/process.ts";
import { ask } from "../support/service.ts";
import { until } from "../support/until.ts";

const bootstrap = "a-known-sandbox-key-for-crowds";
const path = "/api/v2/internet/data/lookup";

/** Crowds that want nothing good, before a service of its own; after each, what a well-behaved caller sees. */
export async function crowdTrial(): Promise<object> {
  const { settings, dispose } = await engines[0]!.ready();
  const service = await serveInProcess({
    DUBA_DATA: settings.dataDirectory,
    DUBA_BOOTSTRAP_KEY: bootstrap,
    DUBA_LIMITS: "off",
    DUBA_MAX_CONNECTIONS: "6000",
    DUBA_REQUEST_TIMEOUT: "2s",
    DUBA_ANSWER_TIMEOUT: "2s",
  });
  const sockets = new Set<Socket>();
  /** Opens connections that say `text` and read nothing unless told. */
  const crowd = async (count: number, text: string, reads: boolean) => {
    const made = Array.from({ length: count }, () => {
      const socket = connect(service.port, "127.0.0.1");
      sockets.add(socket.on("error", () => undefined));
      socket.once("close", () => sockets.delete(socket));
      socket.write(text);
      if (reads) socket.resume();
      else socket.pause();
      return socket;
    });
    await until(() => made.every(({ connecting }) => !connecting), 60_000);
  };
  const leave = async () => {
    for (const socket of sockets) socket.destroy();
    await pause(200);
  };
  const table: Record<string, object> = {};
  const measure = async (name: string) => {
    table[name] = { ...(await lookUps(service.port)), "memory, MB": service.memory() };
  };
  try {
    await measure("nobody else");
    await crowd(5000, "", true);
    await measure("5,000 idle connections");
    await leave();

    await crowd(500, `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Slow: `, true);
    const begun = performance.now();
    await measure("500 slow writers");
    await until(() => sockets.size === 0, 30_000);
    const writersCut = Math.round(performance.now() - begun);
    assert.ok(writersCut < 10_000, `slow writers were cut after ${writersCut} ms`);

    await crowd(200, `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(400), false);
    await measure("200 who read nothing");
    await pause(4000);
    await measure("after they were cut");
    await leave();

    const flood = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\n\r\n`.repeat(50);
    await crowd(20, "", true);
    const flooding = setInterval(() => {
      for (const socket of sockets) if (socket.writableLength === 0) socket.write(flood);
    }, 20);
    await measure("a flood of wrong keys");
    clearInterval(flooding);
    await leave();
    const lines = service.written().split("\n").length;
    await measure("nobody else, again");
    console.table(table);
    return { "slow writers cut after, ms": writersCut, "log lines in all": lines };
  } finally {
    for (const socket of sockets) socket.destroy();
    await service.end("SIGTERM");
    await dispose();
    for (const file of [".keyring", ".keyring.anchor"]) rmSync(`${settings.dataDirectory}${file}`, { force: true });
  }
}

/** Look-ups of one caller: each must be answered. Milliseconds. */
async function lookUps(port: number): Promise<object> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const times: number[] = [];
  for (let n = 0; n < 300; n += 1) {
    const begun = performance.now();
    const { status } = await ask(port, "/api/v2/corporate-data/list", { credential: bootstrap, agent });
    assert.equal(status, 200);
    times.push(performance.now() - begun);
    await pause(2);
  }
  agent.destroy();
  times.sort((one, other) => one - other);
  const round = (part: number) => Math.round(times[Math.floor(times.length * part)]! * 10) / 10;
  return { "p50, ms": round(0.5), "p99, ms": round(0.99), "longest, ms": round(0.999) };
}
