import { lazyPart, type Load } from "../../shared/lazy-part.js";
import type * as PhonePart from "./phone.js";

/** Loads what the stage for phone numbers needs. */
export const loadPhone: Load<typeof PhonePart> = lazyPart(() => import("./phone.js"));
