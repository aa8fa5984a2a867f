import { append } from "../../audit/append.ts";
import { signer } from "../../audit/chain/seal.ts";
import type { FeatureServer, OpenedFeature, ServingCore } from "../../commands/feature.ts";
import { answerTime } from "../../config/fixed-values.ts";
import { settingOf } from "../../config/read-config.ts";
import { callerAddress } from "../../http/request/caller-address.ts";
import { openServer } from "../../http/shell/open-server.ts";
import { keyringPath, readKeyring } from "../../keyring/file.ts";
import { addressList, isListed } from "../../runtime/network/address.ts";
import { recent } from "../../runtime/recent.ts";
import { withTimeout } from "../../runtime/timeout.ts";
import { codeOf } from "../../storage/errors.ts";
import { ReportStore } from "../../storage/reports.ts";
import { openStore } from "../../storage/store.ts";
import { uploadTime } from "./console-request.ts";
import { sendConsoleResponse } from "./console-response.ts";
import type { ConsoleRoom } from "./console-room.ts";
import { consoleOrigin, consoleSettings } from "./console-settings.ts";
import { keepMinuteCounts, type MinuteCounts } from "./counters/minute-counts.ts";
import { requestHandler } from "./handle-request.ts";
import { invitationLink } from "./people/invitation-link.ts";
import { inviteFirst } from "./people/people-rows.ts";
import { SharedReadings } from "./shared-readings.ts";
import { siteMap } from "./site-map.ts";

/**
 * Counts answers in every process, and serves the console in the first one. At its start it prints an invitation if
 * nobody can sign in.
 */
export async function openConsole(core: ServingCore, opened: AsyncDisposableStack): Promise<OpenedFeature> {
  const { answers, instance, worker, store } = core;
  answers.measureDurations();
  const counts = keepMinuteCounts(store, answers, instance);
  opened.defer(() => counts.flush().catch(() => undefined));
  const jobs = [{ name: "write the counts of the minute", every: 60_000, run: () => counts.flush() }];
  return (worker ?? 1) === 1 ? { jobs, server: await openPages(core, counts, opened) } : { jobs };
}

/** Longest wait for fresh counts and sums, in milliseconds. */
const patience = 1_000;

async function openPages(
  core: ServingCore,
  counts: MinuteCounts,
  opened: AsyncDisposableStack,
): Promise<FeatureServer> {
  const {
    config,
    log,
    commands,
    stories,
    health,
    openAlarms,
    keptTimes,
    operations,
    pages,
    records,
    auditAlarms,
    identity,
  } = core;
  const { dataDirectory, databaseUrl } = config;
  const store = {
    ...(await openStore({ dataDirectory, databaseUrl, serving: false, mustExist: true })),
    now: Date.now,
  };
  const reports = new ReportStore(config.databaseReadUrl, store, log);
  let port: number | undefined;
  const origin = () => consoleOrigin(config, port)!;
  const rehearsal =
    "A rehearsal or a demonstration: the people of live verifications are invented, by stand-ins of the vendors.";
  const room: ConsoleRoom = {
    config,
    log,
    commands,
    stories,
    health,
    openAlarms,
    keptTimes,
    whole: {
      ...siteMap(await commands(), pages, await records()),
      ...(config.upstream.standIns && { notice: rehearsal }),
    },
    operations: new Map([
      ["none", "No such operation"],
      ...operations.map(({ id, summary }) => [id, summary] as const),
    ]),
    store,
    reports,
    audit: append,
    signer: async (use) => signer((await readKeyring(keyringPath(config))).audit, use),
    origin,
    caughtUp: () => withTimeout(Promise.allSettled([counts.flush(), identity.follow()]), patience),
    readings: new SharedReadings(),
    opened: recent(200),
    auditAlarms,
  };
  const handle = requestHandler(room, callerAddress(config.trustProxy));
  // A file may take longer than other bodies, which get the same time as headers: see `formIn`.
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
  const end = async () => {
    await http.end();
    await reports.close();
    await store.close();
  };
  opened.defer(end);
  const address = { ...settingOf(config, consoleSettings.address)!, setting: consoleSettings.address.name };
  return {
    name: "console",
    address,
    async listen() {
      port = await http.listen(address);
      const first = await inviteFirst({ db: store.db, now: store.now, audit: append, actor: "system" });
      return { url: origin(), ...(first && { says: invitation(invitationLink(origin(), first.secret)) }) };
    },
    end,
  };
}

/** The message at the start while nobody can sign in to the console. */
function invitation(link: string): string {
  return `
Nobody can sign in to the console yet. This link registers the first officer. It works once, for 15 minutes:

  ${link}

`;
}
