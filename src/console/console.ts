import { consoleOrigin, invitationLink } from "../access/people/console-origin.ts";
import { inviteFirst } from "../access/people/people-rows.ts";
import { append } from "../audit/append.ts";
import { signer } from "../audit/chain/seal.ts";
import type { CommandContext } from "../commands/context.ts";
import { answerTime } from "../config/fixed-values.ts";
import type { Config } from "../config/read-config.ts";
import { callerAddress } from "../http/request/caller-address.ts";
import { openServer } from "../http/shell/open-server.ts";
import { keyringPath, readKeyring } from "../keyring/file.ts";
import type { Command } from "../operation/command.ts";
import type { Operation } from "../operation/operation.ts";
import type { Log } from "../runtime/log.ts";
import { addressList, isListed } from "../runtime/network/address.ts";
import { recent } from "../runtime/recent.ts";
import { codeOf } from "../storage/errors.ts";
import { ReportStore } from "../storage/reports.ts";
import { openStore } from "../storage/store.ts";
import { uploadTime } from "./console-request.ts";
import { sendConsoleResponse } from "./console-response.ts";
import type { ConsoleRoom } from "./console-room.ts";
import type { MinuteCounts } from "./counters/minute-counts.ts";
import { requestHandler } from "./handle-request.ts";
import { SharedReadings } from "./shared-readings.ts";
import { siteMap } from "./site-map.ts";

export interface OperatorConsole {
  /** Listens where `DUBA_CONSOLE` says, and returns the origin, with a link for the first officer if nobody can sign in. */
  listen(): Promise<{ origin: string; firstLink: string | undefined }>;
  close(): Promise<void>;
}

export interface ConsoleParts {
  /** Every command of every room. */
  commands: readonly Command<CommandContext>[];
  /** Every operation of every room. */
  operations: readonly Pick<Operation<never>, "id" | "summary">[];
  counts: MinuteCounts;
  /** The time of the service's store, in milliseconds since 1970. */
  now: () => number;
  auditAlarms: ConsoleRoom["auditAlarms"];
  log: Log;
}

/** Opens the operators' console of a service that runs on this store. */
export async function openConsole(
  config: Config,
  { commands, operations, counts, now, auditAlarms, log }: ConsoleParts,
): Promise<OperatorConsole> {
  const { dataDirectory, databaseUrl } = config;
  const store = { ...(await openStore({ dataDirectory, databaseUrl, serving: false, mustExist: true })), now };
  const reports = new ReportStore(config.databaseReadUrl, store, log);
  let port: number | undefined;
  const origin = () => consoleOrigin(config, port)!;
  const rehearsal = "This is a rehearsal: live verifications are of people that stand-ins of vendors invented.";
  const room: ConsoleRoom = {
    whole: { ...siteMap(commands), ...(config.upstream.standIns && { notice: rehearsal }) },
    operations: new Map([
      ["none", "No such operation"],
      ...operations.map(({ id, summary }) => [id, summary] as const),
    ]),
    config,
    store,
    reports,
    audit: append,
    signer: async (use) => signer((await readKeyring(keyringPath(config))).audit, use),
    origin,
    counts,
    readings: new SharedReadings(),
    opened: recent(200),
    auditAlarms,
    log,
  };
  const handle = requestHandler(room, callerAddress(config.trustProxy));
  // A file takes longer than other bodies, which end as headers do: see `bytesIn`.
  const bounds = { arrival: config.requestTimeout, body: uploadTime };
  const proxies = addressList(config.trustProxy);
  const share = { most: 50, isProxy: (address: string) => proxies !== null && isListed(proxies, address) };
  const connections = { most: 200, share, answer: answerTime(config) };
  const http = openServer({ ...bounds, connections }, log, async (raw, response) => {
    try {
      await sendConsoleResponse(raw, response, await handle(raw), origin().startsWith("https:"));
    } catch (error) {
      log.warn({ code: codeOf(error) }, "an answer of the console ended early");
      response.destroy();
    }
  });
  return {
    async listen() {
      port = await http.listen(config.console!);
      const first = await inviteFirst({ db: store.db, now: store.now, audit: append, actor: "system" });
      return { origin: origin(), firstLink: first && invitationLink(origin(), first.secret) };
    },
    async close() {
      await http.end();
      await reports.close();
      await store.close();
    },
  };
}
