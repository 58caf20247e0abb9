// The kernels of the room vectors, which nearly every file of this room uses.
#pragma once

#include "vectors/array.h"
#include "vectors/norm.h"
#include "vectors/product.h"
#include "vectors/rows.h"
#include "vectors/softmax.h"

namespace mgdm::runtime {

using vectors::Activation;
using vectors::Array;
using vectors::ConstRows;
using vectors::end_product;
using vectors::Ending;
using vectors::layer_norm;
using vectors::MutableRows;
using vectors::NarrowPanels;
using vectors::panel_columns;
using vectors::PanelLayout;
using vectors::Panels;
using vectors::product;
using vectors::rms_norm;
using vectors::softmax;

}  // namespace mgdm::runtime
