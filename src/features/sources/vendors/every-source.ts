import { type Config, settingOf } from "../../../config/read-config.ts";
import type { VendorValues } from "../../../vendors/ports/vendor.ts";
import { baxi } from "./baxi/index.ts";
import type { CatalogueSource } from "./catalogue-source.ts";
import { ebills } from "./ebills/index.ts";
import { peerCatalogue } from "./peer/index.ts";
import { vtpass } from "./vtpass/index.ts";

/** All sources of a catalogue. */
export const catalogueSources: readonly CatalogueSource[] = [peerCatalogue, vtpass, ebills, baxi];

/** The source of this name. Throws if there is none. */
export function sourceOf(wanted: string): CatalogueSource {
  const source = catalogueSources.find(({ name }) => name === wanted);
  if (!source) throw new Error(`No catalogue source is called ${wanted}`);
  return source;
}

/** Returns the values of a source's settings. */
export function valuesOfSource({ settings }: CatalogueSource, config: Pick<Config, "ofFeatures">): VendorValues {
  return Object.fromEntries(Object.entries(settings).map(([member, setting]) => [member, settingOf(config, setting)]));
}
