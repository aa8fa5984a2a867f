import type { CheckKind } from "../../declare/check-kind.ts";
import type { RouteSettings } from "../../ledger/identity-settings.ts";
import type { ComparedFigures, PassedOver } from "../../ledger/vendor-choice.ts";
import type { Db } from "../../storage/tables.ts";
import type { IdentityUpstream } from "../../vendors/ports/identity-upstream.ts";
import { type DecidedOrder, decidedOrder } from "./decide-vendor-order.ts";
import { inPlaces, type PlacedVendor } from "./order-vendors.ts";
import { type PausedRoute, pausedRoutes, pauseOf } from "./paused-vendors.ts";

/** The live vendors, in the order in which a verification tries them. */
export interface VendorOrder {
  upstreams: readonly IdentityUpstream[];
  compared: readonly ComparedFigures[];
  /** Why a vendor comes after vendors that are listed after it. */
  whyBehind(vendor: string): PassedOver["reason"];
}

/** The pauses and the order of vendors in this process. */
export class RouteCache {
  readonly #db: Db;
  readonly #now: () => number;
  readonly #settings: RouteSettings;
  readonly #listed: readonly IdentityUpstream[];
  #paused: readonly PausedRoute[] = [];
  #decided: DecidedOrder | undefined;
  #orders = new Map<CheckKind, VendorOrder>();
  #seen: number | undefined;

  constructor(db: Db, now: () => number, listed: readonly IdentityUpstream[], settings: RouteSettings) {
    this.#db = db;
    this.#now = now;
    this.#listed = listed;
    this.#settings = settings;
  }

  /** The last decision that this process has read. */
  get decided(): DecidedOrder | undefined {
    return this.#decided;
  }

  /** Reads pauses and the order if they have changed. `changes`: their change counter. */
  async follow(changes: number): Promise<void> {
    if (changes === this.#seen) return;
    this.#paused = await pausedRoutes(this.#db, this.#now());
    if (this.#settings.policy === "cheapest") this.#decided = await decidedOrder(this.#db);
    this.#orders = new Map();
    this.#seen = changes;
  }

  /** Whether a vendor gets no new attempt of this kind, because a person paused the vendor. */
  isPaused(vendor: string, kind: CheckKind): boolean {
    const pause = pauseOf(this.#paused, vendor, kind);
    return pause !== undefined && (pause.until === null || pause.until > this.#now());
  }

  order(kind: CheckKind): VendorOrder {
    let order = this.#orders.get(kind);
    if (!order) {
      order = orderOf(this.#listed, this.#decided?.kinds[kind] ?? []);
      this.#orders.set(kind, order);
    }
    return order;
  }
}

/**
 * The listed vendors in the decided order. Vendors that the decision does not name, because settings differ, keep their
 * listed place.
 */
export function inDecidedOrder<One extends { name: string }>(
  listed: readonly One[],
  decided: readonly PlacedVendor[],
): One[] {
  const placed = decided.flatMap(({ vendor }) => listed.find(({ name }) => name === vendor) ?? []);
  return inPlaces(listed, (one) => !placed.includes(one), placed);
}

function orderOf(listed: readonly IdentityUpstream[], decided: readonly PlacedVendor[]): VendorOrder {
  const placed = new Map(decided.map((one) => [one.vendor, one]));
  return {
    upstreams: inDecidedOrder(listed, decided),
    compared: decided.flatMap(({ figures }) => figures ?? []),
    whyBehind(vendor) {
      const one = placed.get(vendor);
      return one?.breaks ?? (one?.figures ? "dearer" : "not_compared");
    },
  };
}
