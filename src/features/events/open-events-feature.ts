import type { OpenedFeature, ServingCore } from "../../commands/feature.ts";
import { bind } from "../../declare/operation.ts";
import { addressList } from "../../runtime/network/address.ts";
import { openEvents } from "./events.ts";
import { eventOperations } from "./operations/index.ts";

/** Opens the events feature in a serving process. */
export async function openEventsFeature(
  { config, log, store, instance, keyring, audit }: ServingCore,
  opened: AsyncDisposableStack,
): Promise<OpenedFeature> {
  const { db, engine, now } = store;
  const networks = addressList(config.eventNetworks);
  const room = await openEvents({
    db,
    instance,
    engine,
    now,
    keyring,
    log,
    audit,
    networks,
    standIns: config.upstream.standIns,
  });
  opened.defer(() => room.stop());
  return {
    operations: bind(eventOperations, room),
    jobs: [{ name: "deliver events", when: (beat) => beat?.deliveries, run: () => room.deliver() }],
    metrics: [
      {
        type: "counter",
        name: "event_deliveries_total",
        help: "Attempts to deliver an event: delivered, failed and tried again, or dead after the last one",
        values: () => Object.entries(room.counts).map(([outcome, count]) => [{ outcome }, count] as const),
      },
    ],
  };
}
