import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { inventedPerson } from "../../../src/checks/invented-person.ts";
import { phoneOfNumber } from "../../../stand-ins/numbers.ts";
import { standIns } from "../../../stand-ins/stand-ins.ts";
import { draw } from "../../support/vendor-draw.ts";
import { type Manners, type TrioCall, type TrioName, trioNames } from "./trio.ts";

/** The vendors' process: see `trio.ts`. It ends with its parent. */

let manners: Manners = { notFound: 0, busy: 0, cut: 0 };
const calls: TrioCall[] = [];

function serverOf(vendor: TrioName) {
  const wire = standIns[vendor]!;
  return createServer(async (raw, response) => {
    let text = "";
    for await (const chunk of raw) text += chunk;
    const { pathname, searchParams } = new URL(raw.url!, "http://127.0.0.1");
    const body = text === "" ? {} : JSON.parse(text);
    const asked = wire.asked({ method: raw.method!, path: pathname, query: searchParams, headers: raw.headers, body });
    if (!asked) return void response.writeHead(404).end("{}");
    const { number } = asked;
    calls.push({ vendor, number, at: Date.now() });
    const percent = (trait: string) => draw("trio", `${vendor} ${number} ${trait}`, 100);
    await pause(5 + percent("takes") / 4);
    if (Math.random() * 100 < manners.cut) return void response.destroy();
    const of = { ...asked, reference: `r${number}${vendor}` };
    const said =
      Math.random() * 100 < manners.busy
        ? wire.failures.too_many_requests(of)
        : percent("knows nobody") < manners.notFound
          ? wire.failures.not_found(of)
          : {
              status: 200,
              body: wire.found(inventedPerson(asked.kind as "bvn", number, phoneOfNumber(number)), of, ""),
            };
    response.writeHead(said.status, { "Content-Type": "application/json" }).end(JSON.stringify(said.body));
  });
}

const urls = await Promise.all(
  trioNames.map(async (vendor) => {
    const server = serverOf(vendor).listen(0, "127.0.0.1");
    server.keepAliveTimeout = 60_000;
    await new Promise((resolve) => server.once("listening", resolve));
    return [vendor, `http://127.0.0.1:${(server.address() as AddressInfo).port}`] as const;
  }),
);
process.on("disconnect", () => process.exit());
process.on("message", (message: "calls" | Manners) => {
  if (message !== "calls") manners = message;
  else process.send!(calls.splice(0));
});
process.send!(Object.fromEntries(urls));
