/** TLS of the ports: certificates and keys from files, which are read again when they change. */
@NullMarked
package dev.sluice.server.tls;

import org.jspecify.annotations.NullMarked;
