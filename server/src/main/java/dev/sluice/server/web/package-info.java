/**
 * What all ports share: reading a body within a size and a time, errors as {@code application/problem+json}, and the
 * limits on connections, heads and bodies that keep bad clients from hurting good ones. A plain request to a handler that
 * wants it so passes by Vert.x: see {@link DirectRequests}.
 */
@NullMarked
package dev.sluice.server.web;

import org.jspecify.annotations.NullMarked;
