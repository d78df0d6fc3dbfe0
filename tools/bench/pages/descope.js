// Descope's element; what stands for its servers has no screens for it.
import "@descope/web-component";
