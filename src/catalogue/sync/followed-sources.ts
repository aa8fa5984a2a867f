import type { Log } from "../../runtime/log.ts";
import type { PulledList } from "../../upstreams/ports/catalogue-source.ts";
import type { VendorValues } from "../../upstreams/ports/vendor.ts";
import { catalogueSources } from "../../upstreams/registry.ts";
import type { ComparedSource, SyncSource } from "./offer.ts";
import type { ListSource, PriceDifference } from "./sync-settings.ts";

/** A source, and for which lists. */
export interface SourceLists {
  readonly name: string;
  readonly covers: readonly PulledList[];
}

/** A source with the lists that it gives, and the sources to compare them with. */
export interface FollowedSource extends SourceLists {
  readonly compared: readonly SourceLists[];
}

/** The settings that say what is followed. */
export interface FollowSettings {
  readonly source: string;
  readonly sources: readonly ListSource[];
  readonly difference: PriceDifference;
}

/** A source with all lists that it has. */
export function withAllLists(name: string): FollowedSource {
  return { name, covers: catalogueSources.find((source) => source.name === name)!.covers, compared: [] };
}

/** The sources that the settings name, each once. */
export function followedSources({ source, sources }: Pick<FollowSettings, "source" | "sources">): FollowedSource[] {
  if (source !== "") return [withAllLists(source)];
  return Map.groupBy(sources, (each) => each.source)
    .entries()
    .map(([name, lists]) => ({
      ...listsOf(name, lists),
      compared: Map.groupBy(lists, ({ comparedWith }) => comparedWith)
        .entries()
        .flatMap(([other, compared]) => (other === null ? [] : [listsOf(other, compared)]))
        .toArray(),
    }))
    .toArray();
}

const listsOf = (name: string, lists: readonly ListSource[]): SourceLists => ({
  name,
  covers: lists.map(({ list }) => list),
});

export interface OpenSource extends SyncSource {
  /** Ends all requests and closes all connections. */
  close(): void;
}

/** The settings that open sources. */
export interface OpenSettings {
  readonly pull: FollowSettings;
  /** The values of their own settings. */
  readonly sources: Readonly<Record<string, VendorValues>>;
  readonly upstream: { readonly standIns: boolean };
}

/** Opens a source, and those to compare it with. */
export async function openFollowed(
  { compared, ...followed }: FollowedSource,
  { pull: { difference }, sources, upstream }: OpenSettings,
  log: Log,
): Promise<OpenSource> {
  const { openSource } = await import("../../upstreams/open-vendors.ts");
  const open = async ({ name, covers }: SourceLists) => ({
    ...(await openSource(name, sources[name]!, log, upstream.standIns)),
    covers,
  });
  const first = await open(followed);
  const others = await Promise.all(compared.map(open));
  return {
    ...first,
    compared: others.map((source): ComparedSource => ({ source, difference })),
    close() {
      for (const { close } of [first, ...others]) close();
    },
  };
}
