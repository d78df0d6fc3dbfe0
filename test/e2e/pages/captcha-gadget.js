window.gadget = true;
