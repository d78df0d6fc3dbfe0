export { fetchAuthMetadata, type AuthMetadataOptions } from "./auth-metadata.js";
export { discoverHomeserver, type DiscoveredHomeserver } from "./discover-homeserver.js";
export {
  HomeserverClient,
  type HomeserverClientOptions,
  type Whoami,
} from "./homeserver-client.js";
export { MatrixError } from "./matrix-error.js";
