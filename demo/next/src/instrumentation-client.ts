// This file runs before Next's router reads the URL. The pages load the elements.
import "matrix-auth-elements/capture";
