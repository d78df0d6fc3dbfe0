// Descope's element: importing it registers it.
import "@descope/web-component";
