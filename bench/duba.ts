import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { readConfig } from "../src/config/read-config.ts";
import { features } from "../src/features.ts";
import { wire } from "../src/wire/wire.ts";
import { answerBench } from "./child.ts";

/** The service as `npm start` runs it, with the settings of the environment. */
const config = readConfig(process.env, features);
const { app, servers } = await wire(config, pino({ level: "warn" }));
await app.listen({ host: "127.0.0.1", port: 0 });
for (const server of servers) await server.listen();
answerBench(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
