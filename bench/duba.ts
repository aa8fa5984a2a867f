import type { AddressInfo } from "node:net";
import { pino } from "pino";
import { everyCommand } from "../src/commands/families.ts";
import { readConfig } from "../src/config/read-config.ts";
import { wire } from "../src/wire/wire.ts";
import { answerBench } from "./child.ts";

/** The service as `npm start` runs it, with the settings of the environment. */
const config = readConfig(process.env);
const { app, console: operators } = await wire(config, pino({ level: "warn" }), everyCommand);
await app.listen({ host: "127.0.0.1", port: 0 });
await operators?.listen();
answerBench(`http://127.0.0.1:${(app.server.address() as AddressInfo).port}`);
